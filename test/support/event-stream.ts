/** One event of a stream, as it was sent. */
export interface StreamedEvent {
  readonly id: string | null;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails on what is not there
  readonly data: any;
}

/** Reads a stream of server-sent events by hand. `next` resolves with null when it has ended. */
export const openEventStream = async (url: string, headers: Record<string, string>) => {
  const cancel = new AbortController();
  const response = await fetch(url, { headers, signal: cancel.signal });
  const blocks = response.body ? blocksOf(response.body) : (async function* () {})();
  const next = async (): Promise<StreamedEvent | null> => {
    for (;;) {
      const { value, done } = await blocks.next();
      if (done) return null;
      const event = eventIn(value);
      if (event) return event;
    }
  };
  return {
    response,
    /** The next block as it came, comments and all. */
    nextBlock: async (): Promise<string | null> => (await blocks.next()).value ?? null,
    next,
    /** The next `count` events that are `wanted`. */
    async take(
      count: number,
      wanted: (event: StreamedEvent) => boolean = () => true,
    ): Promise<readonly StreamedEvent[]> {
      const events: StreamedEvent[] = [];
      while (events.length < count) {
        const event = await next();
        if (!event) break;
        if (wanted(event)) events.push(event);
      }
      return events;
    },
    close: () => cancel.abort(),
  };
};

async function* blocksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const octets of body) {
    text += decoder.decode(octets, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      yield text.slice(0, end);
      text = text.slice(end + 2);
    }
  }
}

const eventIn = (block: string): StreamedEvent | null => {
  const fields = new Map(
    block.split('\n').map((line) => [line.split(': ', 1)[0] ?? '', line.slice(line.indexOf(': ') + 2)]),
  );
  const data = fields.get('data');
  if (data === undefined) return null;
  return { id: fields.get('id') ?? null, event: fields.get('event') ?? 'message', data: JSON.parse(data) };
};
