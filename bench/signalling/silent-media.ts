import type { MediaPort, MediaThread } from '../../src/media/link.ts';

const NOTHING_SENT: readonly number[] = [0];

/** A port whose voice is over as soon as it begins. */
const createPort = (port: number): MediaPort => {
  const finished = Promise.withResolvers<'played' | 'broken-off'>();
  return {
    port,
    play: () => finished.resolve('played'),
    redirect: () => undefined,
    hold: () => undefined,
    resume: () => undefined,
    finished: finished.promise,
    framesSent: () => NOTHING_SENT,
    packetsSent: () => 0,
    onDigit: () => undefined,
    place: () => null,
    quality: () => null,
    packetsRefused: () => 0,
    peerRefusals: () => 0,
    latenessMs: () => 0,
    stop: async () => finished.resolve('broken-off'),
  };
};

/** Media without sockets and threads: what is measured beside it is signalling alone. */
export const createSilentMedia = (): MediaThread => ({
  prepare: async () => createPort(16_384),
  capacity: () => Number.POSITIVE_INFINITY,
  isOverloaded: () => false,
  lateness: () => ({ packets: 0, latePackets: 0, maxMs: 0, bands: [] }),
  close: async () => undefined,
});
