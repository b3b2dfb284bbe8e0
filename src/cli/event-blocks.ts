/** One block of a stream of server-sent events: an event, a comment, or neither. */
export interface StreamedBlock {
  readonly id: string | null;
  readonly data: string | null;
  readonly isComment: boolean;
}

/** The blocks of a stream (HTML Living Standard 9.2.6), as far as Ringcast writes them. */
export async function* eventBlocks(body: AsyncIterable<Uint8Array>): AsyncGenerator<StreamedBlock> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const octets of body) {
    text += decoder.decode(octets, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) yield blockOf(block);
  }
}

const blockOf = (block: string): StreamedBlock => ({
  id: fieldOf(block, 'id'),
  data: fieldOf(block, 'data'),
  isComment: block.startsWith(':'),
});

const fieldOf = (block: string, name: string): string | null =>
  block
    .split('\n')
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2) ?? null;
