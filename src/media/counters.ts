import { SLOT_MS } from '../rtp/playout.ts';
import type { StreamQuality } from '../rtp/stream-quality.ts';
import { SLOTS_PER_FRAME } from './payloads.ts';

/**
 * Counters of one call in shared memory: the media thread adds, the main thread reads at any time. A packet counts as
 * sent once the kernel has taken it.
 */
const PACKETS_SENT = 0;
const PACKETS_REFUSED = 1;
const PEER_REFUSALS = 2;
/** What the peer reported last, each plus one; 0 for nothing. */
const PACKETS_LOST = 3;
const JITTER_US = 4;
const ROUND_TRIP_US = 5;
const LATENESS = 6;

/** Upper ends of the bands of lateness, in milliseconds. */
export const LATENESS_BANDS_MS = [1, 2, 5, 10, 20, 50, 100, Number.POSITIVE_INFINITY] as const;
/** Slots of each clip. */
const SLOTS = LATENESS + LATENESS_BANDS_MS.length;

export const createCounters = (clipCount: number): Int32Array<SharedArrayBuffer> =>
  new Int32Array(new SharedArrayBuffer((SLOTS + clipCount) * Int32Array.BYTES_PER_ELEMENT));

/** Counts one packet that held so many slots of clip number `clip` and left so late. */
export const countPacket = (counters: Int32Array, clip: number, slots: number, lateMs: number): void => {
  counters[SLOTS + clip] = (counters[SLOTS + clip] ?? 0) + slots;
  increment(counters, PACKETS_SENT);
  increment(counters, LATENESS + bandOf(lateMs));
};

/** Without a lock on the memory bus: only the media thread writes. */
const increment = (counters: Int32Array, place: number): void => {
  counters[place] = (counters[place] ?? 0) + 1;
};

const bandOf = (lateMs: number): number => {
  let band = 0;
  while (lateMs >= (LATENESS_BANDS_MS[band] ?? Number.POSITIVE_INFINITY)) band += 1;
  return Math.min(band, LATENESS_BANDS_MS.length - 1);
};

/** Counts one packet that the kernel did not take. */
export const countRefusal = (counters: Int32Array): void => increment(counters, PACKETS_REFUSED);

/** Counts one ICMP refusal of the peer's machine. */
export const countPeerRefusal = (counters: Int32Array): void => increment(counters, PEER_REFUSALS);

export const readPeerRefusals = (counters: Int32Array): number => Atomics.load(counters, PEER_REFUSALS);

export const readPacketsSent = (counters: Int32Array): number => Atomics.load(counters, PACKETS_SENT);

export const readPacketsRefused = (counters: Int32Array): number => Atomics.load(counters, PACKETS_REFUSED);

/** Whole frames sent of each clip, in playlist order. */
export const readFramesSent = (counters: Int32Array): readonly number[] =>
  Array.from({ length: counters.length - SLOTS }, (_, clip) =>
    Math.floor(Atomics.load(counters, SLOTS + clip) / SLOTS_PER_FRAME),
  );

/** The upper end of the band that so great a share of the packets was within, in milliseconds; 0 if none was sent. */
export const readLatenessMs = (counters: Int32Array, share: number): number => {
  const wanted = share * readPacketsSent(counters);
  let within = 0;
  for (const [band, untilMs] of LATENESS_BANDS_MS.entries()) {
    if (within >= wanted) return LATENESS_BANDS_MS[band - 1] ?? 0;
    within += Atomics.load(counters, LATENESS + band);
    if (within >= wanted) return untilMs;
  }
  return Number.POSITIVE_INFINITY;
};

/** How far the last clip has come of which anything was sent; null if nothing was. */
export const readPlace = (counters: Int32Array): { readonly clip: number; readonly placeMs: number } | null => {
  for (let clip = counters.length - SLOTS - 1; clip >= 0; clip -= 1) {
    const slots = Atomics.load(counters, SLOTS + clip);
    if (slots > 0) return { clip, placeMs: slots * SLOT_MS };
  }
  return null;
};

const US_PER_MS = 1000;
const MAX_NOTED = 2 ** 31 - 2;

const note = (counters: Int32Array, place: number, value: number): void => {
  counters[place] = Math.min(MAX_NOTED, Math.round(value)) + 1;
};

/** What the peer reports of how it hears us. A round trip once known stays known. */
export const noteQuality = (counters: Int32Array, { packetsLost, jitterMs, roundTripMs }: StreamQuality): void => {
  note(counters, PACKETS_LOST, packetsLost);
  note(counters, JITTER_US, jitterMs * US_PER_MS);
  if (roundTripMs !== null) note(counters, ROUND_TRIP_US, roundTripMs * US_PER_MS);
};

/** Null while the peer has reported nothing. */
export const readQuality = (counters: Int32Array): StreamQuality | null => {
  const [lost = 0, jitterUs = 0, roundTripUs = 0] = [PACKETS_LOST, JITTER_US, ROUND_TRIP_US].map((place) =>
    Atomics.load(counters, place),
  );
  if (lost === 0) return null;
  const roundTripMs = roundTripUs === 0 ? null : (roundTripUs - 1) / US_PER_MS;
  return { packetsLost: lost - 1, jitterMs: (jitterUs - 1) / US_PER_MS, roundTripMs };
};
