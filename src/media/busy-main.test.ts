import { describe, expect, it } from 'vitest';
import {
  expectTrueNumbers,
  makeClip,
  openRtpPeer,
  PCMU,
  pattern,
  payloads,
  prepare,
  startThread,
} from '../../test/support/media.ts';

/** RINGCAST_BUSY_CALLS=1000 for the whole proof. */
const CALLS = Number(process.env.RINGCAST_BUSY_CALLS ?? 40);
const FRAMES = 75;
const BLOCKED_MS = 500;

/** Blocks this thread, as a long commit or a garbage collection would. */
const block = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BLOCKED_MS);

describe('a main thread that is blocked for half of each second', () => {
  it('is not heard in any call', { timeout: 120_000 }, async () => {
    const thread = await startThread();
    const calls = await Promise.all(
      Array.from({ length: CALLS }, async (_, seed) => ({
        seed,
        peer: await openRtpPeer(),
        port: await prepare(thread, makeClip(seed, FRAMES)),
      })),
    );
    for (const { port, peer } of calls) port.play({ ...peer, ...PCMU });
    const sent = (): number => calls.reduce((sum, { port }) => sum + port.packetsSent(), 0);
    for (const { port } of calls) while (port.packetsSent() === 0) await new Promise(setImmediate);
    const before = sent();
    block();
    expect(sent()).toBeGreaterThan(before + CALLS);
    await calls[0]?.peer.until(FRAMES / 2);
    block();
    for (const { seed, peer, port } of calls) {
      expect(await port.finished).toBe('played');
      await peer.until(FRAMES);
      expect(payloads(peer.packets())).toEqual(Buffer.from(pattern(seed, FRAMES)));
      expectTrueNumbers(peer.packets());
    }
  });
});
