import { SLOT_MS } from '../rtp/playout.ts';
import type { StreamQuality } from '../rtp/stream-quality.ts';
import { SLOTS_PER_FRAME } from './payloads.ts';

/**
 * Counters of all calls of a thread, in shared memory: it adds, the main thread reads at any time. A packet counts as
 * sent once the kernel has taken it. The row of a call is one line of the processor's cache; slots of its clips are in
 * columns behind the rows, one for each place in a playlist, so that memory is touched as far as playlists go.
 */
export interface Counters {
  readonly numbers: Int32Array;
  readonly rows: number;
}

/** What one call has of them. */
export interface CallCounters {
  readonly counters: Counters;
  readonly row: number;
  readonly clipCount: number;
}

const PACKETS_SENT = 0;
/** Of payload, modulo 2^32. */
const OCTETS_SENT = 1;
const PACKETS_REFUSED = 2;
const PEER_REFUSALS = 3;
/** What the peer reported last, each plus one; 0 for nothing. */
const PACKETS_LOST = 4;
const JITTER_US = 5;
const ROUND_TRIP_US = 6;
const LATENESS = 7;
const ROW = 16;

/** Upper ends of the bands of lateness, in milliseconds. */
export const LATENESS_BANDS_MS = [1, 2, 5, 10, 20, 50, 100, Number.POSITIVE_INFINITY] as const;

/** Clips of one call, silences included: what a list of 100 and a greeting come to, with silence around each. */
export const MAX_CLIPS_PER_CALL = 203;

/** The system gives memory to it as it is touched. */
export const createCountersMemory = (rows: number, clipCount = MAX_CLIPS_PER_CALL): SharedArrayBuffer =>
  new SharedArrayBuffer(rows * (ROW + clipCount) * Int32Array.BYTES_PER_ELEMENT);

export const countersOf = (memory: SharedArrayBuffer, rows: number): Counters => ({
  numbers: new Int32Array(memory),
  rows,
});

const slotsAt = ({ rows }: Counters, row: number, clip: number): number => rows * (ROW + clip) + row;

/** Counts one packet that held so many slots of clip number `clip` and left so late. */
export const countPacket = (
  counters: Counters,
  row: number,
  packet: { readonly octets: number; readonly clip: number; readonly slots: number; readonly lateMs: number },
): void => {
  add(counters, row * ROW + PACKETS_SENT, 1);
  add(counters, row * ROW + OCTETS_SENT, packet.octets);
  add(counters, row * ROW + LATENESS + bandOf(packet.lateMs), 1);
  add(counters, slotsAt(counters, row, packet.clip), packet.slots);
};

/** Without a lock on the memory bus: only the media thread writes. */
const add = ({ numbers }: Counters, place: number, count: number): void => {
  numbers[place] = (numbers[place] ?? 0) + count;
};

const bandOf = (lateMs: number): number => {
  let band = 0;
  while (lateMs >= (LATENESS_BANDS_MS[band] ?? Number.POSITIVE_INFINITY)) band += 1;
  return Math.min(band, LATENESS_BANDS_MS.length - 1);
};

/** Counts one packet that the kernel did not take. */
export const countRefusal = (counters: Counters, row: number): void => add(counters, row * ROW + PACKETS_REFUSED, 1);

/** Counts one ICMP refusal of the peer's machine. */
export const countPeerRefusal = (counters: Counters, row: number): void => add(counters, row * ROW + PEER_REFUSALS, 1);

/** What was sent in a call so far. */
export interface Sent {
  readonly packets: number;
  /** Of payload, modulo 2^32. */
  readonly octets: number;
}

export const readSent = ({ numbers }: Counters, row: number): Sent => ({
  packets: numbers[row * ROW + PACKETS_SENT] ?? 0,
  octets: (numbers[row * ROW + OCTETS_SENT] ?? 0) >>> 0,
});

const US_PER_MS = 1000;
const MAX_NOTED = 2 ** 31 - 2;

/** What the peer reports of how it hears us. A round trip once known stays known. */
export const noteQuality = (
  { numbers }: Counters,
  row: number,
  { packetsLost, jitterMs, roundTripMs }: StreamQuality,
): void => {
  const note = (place: number, value: number): void => {
    numbers[row * ROW + place] = Math.min(MAX_NOTED, Math.round(value)) + 1;
  };
  note(PACKETS_LOST, packetsLost);
  note(JITTER_US, jitterMs * US_PER_MS);
  if (roundTripMs !== null) note(ROUND_TRIP_US, roundTripMs * US_PER_MS);
};

const read = ({ counters, row }: CallCounters, place: number): number =>
  Atomics.load(counters.numbers, row * ROW + place);

const readSlots = ({ counters, row }: CallCounters, clip: number): number =>
  Atomics.load(counters.numbers, slotsAt(counters, row, clip));

/** A call begins with none. */
export const clearCounters = ({ counters, row, clipCount }: CallCounters): void => {
  counters.numbers.fill(0, row * ROW, (row + 1) * ROW);
  for (let clip = 0; clip < clipCount; clip += 1) counters.numbers[slotsAt(counters, row, clip)] = 0;
};

/** What they are now, to be kept when another call has the row. */
export const copyCounters = (call: CallCounters): CallCounters => {
  const { counters, row, clipCount } = call;
  const copy = { numbers: new Int32Array(ROW + clipCount), rows: 1 };
  copy.numbers.set(counters.numbers.subarray(row * ROW, (row + 1) * ROW));
  for (let clip = 0; clip < clipCount; clip += 1) copy.numbers[slotsAt(copy, 0, clip)] = readSlots(call, clip);
  return { counters: copy, row: 0, clipCount };
};

export const readPeerRefusals = (call: CallCounters): number => read(call, PEER_REFUSALS);

export const readPacketsSent = (call: CallCounters): number => read(call, PACKETS_SENT);

export const readPacketsRefused = (call: CallCounters): number => read(call, PACKETS_REFUSED);

/** Whole frames sent of each clip, in playlist order. */
export const readFramesSent = (call: CallCounters): readonly number[] =>
  Array.from({ length: call.clipCount }, (_, clip) => Math.floor(readSlots(call, clip) / SLOTS_PER_FRAME));

/** The upper end of the band that so great a share of the packets was within, in milliseconds; 0 if none was sent. */
export const readLatenessMs = (call: CallCounters, share: number): number => {
  const wanted = share * readPacketsSent(call);
  let within = 0;
  for (const [band, untilMs] of LATENESS_BANDS_MS.entries()) {
    if (within >= wanted) return LATENESS_BANDS_MS[band - 1] ?? 0;
    within += read(call, LATENESS + band);
    if (within >= wanted) return untilMs;
  }
  return Number.POSITIVE_INFINITY;
};

/** How far the last clip has come of which anything was sent; null if nothing was. */
export const readPlace = (call: CallCounters): { readonly clip: number; readonly placeMs: number } | null => {
  for (let clip = call.clipCount - 1; clip >= 0; clip -= 1) {
    const slots = readSlots(call, clip);
    if (slots > 0) return { clip, placeMs: slots * SLOT_MS };
  }
  return null;
};

/** Null while the peer has reported nothing. */
export const readQuality = (call: CallCounters): StreamQuality | null => {
  const [lost = 0, jitterUs = 0, roundTripUs = 0] = [PACKETS_LOST, JITTER_US, ROUND_TRIP_US].map((place) =>
    read(call, place),
  );
  if (lost === 0) return null;
  const roundTripMs = roundTripUs === 0 ? null : (roundTripUs - 1) / US_PER_MS;
  return { packetsLost: lost - 1, jitterMs: (jitterUs - 1) / US_PER_MS, roundTripMs };
};
