import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { untilLineBreaks } from './cut-line.ts';

let sender: Socket;
let request: IncomingMessage;
let close: () => void;

beforeEach(async () => {
  const arrived = Promise.withResolvers<IncomingMessage>();
  const server = createServer((incoming) => arrived.resolve(incoming));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  sender = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sender.write('PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n');
  request = await arrived.promise;
  close = () => void server.close();
});
afterEach(() => {
  sender.destroy();
  close();
});

const breakLine = async (): Promise<void> => {
  // Node tells of a broken line with an error as well, which nobody reads here.
  request.on('error', () => undefined);
  const closed = new Promise((resolve) => request.once('close', resolve));
  sender.resetAndDestroy();
  await closed;
};

/** A parser that misses that the line broke. */
async function* deaf(): AsyncGenerator<string> {
  yield 'first';
  await new Promise(() => undefined);
}

const collect = async (pieces: AsyncIterable<string>): Promise<string[]> => {
  const collected: string[] = [];
  for await (const piece of pieces) collected.push(piece);
  return collected;
};

describe('a body that is read until the line breaks', () => {
  it('is told as cut when the line broke before anybody read it', async () => {
    await breakLine();
    await expect(collect(untilLineBreaks(request, deaf()))).rejects.toMatchObject({ code: 'upload_cut' });
  });

  it('is told as cut when the line breaks and the parser waits on', async () => {
    const pieces = untilLineBreaks(request, deaf());
    expect(await pieces.next()).toEqual({ done: false, value: 'first' });
    const next = pieces.next();
    await Promise.all([breakLine(), expect(next).rejects.toMatchObject({ code: 'upload_cut' })]);
  });

  it('gives what there is, and passes on what the parser throws', async () => {
    async function* whole(): AsyncGenerator<string> {
      yield 'a';
      yield 'b';
    }
    async function* failing(): AsyncGenerator<string> {
      yield 'a';
      throw new Error('parser');
    }
    expect(await collect(untilLineBreaks(request, whole()))).toEqual(['a', 'b']);
    await expect(collect(untilLineBreaks(request, failing()))).rejects.toThrow('parser');
  });
});
