import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { makeClip, makeLog, openRtpPeer, PCMU, prepare, startThread } from '../../test/support/media.ts';
import { NO_SILENCES } from '../domain/silences.ts';

const THREAD = JSON.stringify(new URL('./thread.ts', import.meta.url).href);
const entry = (before: string): URL =>
  new URL(`data:text/javascript,${encodeURIComponent(`${before}; await import(${THREAD});`)}`);

/** Where the C library cannot be reached. */
const STRANGE_MACHINE = entry(`Object.defineProperty(process, 'arch', { value: 'mips' })`);

/** Does so with the order to load a clip of 13 frames. */
const withClip13 = (statement: string): URL =>
  entry(`
    import { syncBuiltinESMExports } from 'node:module';
    import threads from 'node:worker_threads';
    const { receiveMessageOnPort } = threads;
    threads.receiveMessageOnPort = (port) => {
      const received = receiveMessageOnPort(port);
      if (received?.message.audio?.frameCount === 13) ${statement};
      return received;
    };
    syncBuiltinESMExports()`);

const isLinux = process.platform === 'linux';

describe('several media threads', () => {
  it.runIf(isLinux)('share the calls, and a crash of one is no crash of the other', async () => {
    const { log, lines } = makeLog();
    const thread = await startThread({ threads: 2, log, entry: withClip13('throw new Error()') });
    const peer = await openRtpPeer();
    const playing = await prepare(thread, makeClip(1, 40));
    playing.play({ ...peer, ...PCMU });
    await expect(thread.prepare({ clips: [makeClip(2, 13)], silences: NO_SILENCES })).rejects.toThrow(
      'The media thread has ended.',
    );
    expect(await playing.finished).toBe('played');
    expect(playing.packetsSent()).toBe(40);
    expect(lines).toEqual(['error The media thread crashed']);
  });
});

describe('the sockets of a thread', () => {
  it.runIf(isLinux)('are those of the C library on Linux, and two descriptors a call', async () => {
    const { log, lines } = makeLog();
    const thread = await startThread({ log });
    const before = readdirSync('/proc/self/fd').length;
    await prepare(thread, makeClip(1, 1));
    expect(readdirSync('/proc/self/fd').length - before).toBe(2);
    expect(lines.join()).not.toContain('node:dgram');
  });

  it('are those of node:dgram where the C library cannot be reached, which is told', async () => {
    const { log, lines } = makeLog();
    const thread = await startThread({ log, entry: STRANGE_MACHINE });
    const peer = await openRtpPeer();
    const port = await prepare(thread, makeClip(1, 2));
    port.play({ ...peer, ...PCMU });
    await peer.until(2);
    expect(lines).toEqual([expect.stringContaining('info RTP goes through node:dgram: ')]);
  });

  it.runIf(isLinux)('are closed when the thread dies', async () => {
    const before = readdirSync('/proc/self/fd').length;
    const thread = await startThread();
    await Promise.all([1, 2, 3].map((seed) => thread.prepare({ clips: [makeClip(seed, 1)], silences: NO_SILENCES })));
    await thread.close();
    expect(readdirSync('/proc/self/fd').length).toBe(before);
  });
});

describe('a thread that hangs', () => {
  it.runIf(isLinux)('is ended, which is logged, and the next call gets a new one', async () => {
    const { log, lines } = makeLog();
    const looks: (() => void)[] = [];
    const wakeAfter = (_delayMs: number, wake: () => void) => {
      looks.push(wake);
      return () => {};
    };
    const thread = await startThread({ log, entry: withClip13('for (;;)'), nowMs: () => 0, wakeAfter });
    const hanging = expect(thread.prepare({ clips: [makeClip(1, 13)], silences: NO_SILENCES })).rejects.toThrow(
      'has ended',
    );
    await new Promise(setImmediate);
    for (let look = 0; look < 6; look += 1) looks.shift()?.();
    await hanging;
    expect(lines).toEqual(['error The media thread crashed']);
    const peer = await openRtpPeer();
    const next = await prepare(thread, makeClip(2, 1));
    next.play({ ...peer, ...PCMU });
    await peer.until(1);
  });
});
