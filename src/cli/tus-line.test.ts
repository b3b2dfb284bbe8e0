import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { boundedHttpStack } from './tus-line.ts';

const LONG_MS = 3_600_000;

/** Sends a PATCH to a server that does with its line what the test says, and gives what becomes of it. */
const patch = async (
  behave: (line: Socket) => void,
  timeouts: { stallMs?: number; partMs?: number },
  body: unknown,
) => {
  const lines = new Set<Socket>();
  const server = createServer((line) => {
    lines.add(line.on('error', () => undefined));
    behave(line);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const stack = boundedHttpStack({ stallMs: LONG_MS, partMs: LONG_MS, answerMs: LONG_MS, ...timeouts });
    const request = stack.createRequest('PATCH', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    return await request.send(body);
  } finally {
    for (const line of lines) line.destroy();
    server.close();
  }
};

test('a server that never answers is waited for no longer than told', async () => {
  const answer = patch((line) => line.resume(), { partMs: 20 }, Buffer.from('part'));
  await expect(answer).rejects.toMatchObject({ name: 'TimeoutError' });
});

test('a line that takes no more octets is waited for no longer than told', async () => {
  const answer = patch((line) => line.pause(), { stallMs: 20 }, Buffer.alloc(32 * 1024 * 1024));
  await expect(answer).rejects.toMatchObject({ name: 'TimeoutError' });
});

test('an answer that is cut is no answer', async () => {
  const cutAnswer = 'HTTP/1.1 500 Trouble\r\nContent-Length: 100\r\n\r\nhalf';
  const answer = patch((line) => line.once('data', () => line.end(cutAnswer)), {}, Buffer.from('part'));
  await expect(answer).rejects.toMatchObject({ code: 'ECONNRESET' });
});

test('a file that can no longer be read ends the request, not the process', async () => {
  const answer = patch((line) => line.resume(), {}, createReadStream('/nowhere/at/all.wav'));
  await expect(answer).rejects.toMatchObject({ code: 'ENOENT' });
});
