import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { makeClip, openRtpPeer, PCMU, SOCKET_KINDS, startThread } from '../../test/support/media.ts';
import { NO_SILENCES } from '../domain/silences.ts';
import type { MediaThread } from './link.ts';

/** RINGCAST_LEAK_CALLS=100000 for the whole proof, which takes minutes. */
const CALLS = Number(process.env.RINGCAST_LEAK_CALLS ?? 2000);
const AT_ONCE = 50;
const MAX_GROWTH_BYTES = 48 * 1024 * 1024;
/** Fewer pairs than calls, so that each is used again; more than needed at once, as another program may hold some. */
const PORTS = [28_000, 28_799] as const;

/** Null where the system does not tell. */
const openDescriptors = (): number | null =>
  process.platform === 'linux' ? readdirSync('/proc/self/fd').length : null;

const shortCall = async (thread: MediaThread, number: number, to: { address: string; port: number }) => {
  const port = await thread.prepare({ clips: [makeClip(number, 1)], silences: NO_SILENCES });
  port.play({ ...to, ...PCMU });
  while (port.packetsSent() + port.packetsRefused() === 0) await new Promise(setImmediate);
  await port.stop();
};

describe.each(SOCKET_KINDS)('thousands of short calls, %s sockets', (sockets) => {
  it('leave no port, no descriptor and no memory behind', { timeout: 1_200_000 }, async () => {
    let nowMs = 0;
    const thread = await startThread({ sockets, ports: PORTS, nowMs: () => nowMs });
    const peer = await openRtpPeer();
    const before = openDescriptors();
    let bytesBefore = 0;
    for (let made = 0; made < CALLS; made += AT_ONCE) {
      if (made === CALLS / 2) bytesBefore = process.memoryUsage.rss();
      await Promise.all(Array.from({ length: AT_ONCE }, (_, each) => shortCall(thread, made + each, peer)));
      peer.datagrams.length = 0;
      nowMs += 60_000;
    }
    expect(openDescriptors()).toBe(before);
    expect(process.memoryUsage.rss() - bytesBefore).toBeLessThan(MAX_GROWTH_BYTES);
    const all = await Promise.all(
      Array.from({ length: 2 * AT_ONCE }, () => thread.prepare({ clips: [], silences: NO_SILENCES })),
    );
    await Promise.all(all.map((port) => port.stop()));
    expect(openDescriptors()).toBe(before);
  });
});
