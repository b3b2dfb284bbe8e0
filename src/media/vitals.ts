import { LATE_MS } from './overload.ts';

/** How a media thread is, in shared memory: it writes, the main thread reads. */
const BEAT = 0;
const OVERLOADED = 1;
const PACKETS = 2;
const MAX_LATENESS_US = 3;
const LATENESS = 4;
/** Bands of a tenth of a millisecond; what is later shares the last. */
const BAND_MS = 0.1;
const BANDS = 1001;

export const createVitalsMemory = (): SharedArrayBuffer => new SharedArrayBuffer((LATENESS + BANDS) * 4);

export interface Vitals {
  beat(isOverloaded: boolean): void;
  notePacket(lateMs: number): void;
}

export const vitalsWriter = (memory: SharedArrayBuffer): Vitals => {
  const numbers = new Int32Array(memory);
  return {
    beat(isOverloaded) {
      Atomics.store(numbers, OVERLOADED, isOverloaded ? 1 : 0);
      Atomics.add(numbers, BEAT, 1);
    },
    notePacket(lateMs) {
      // Without a lock on the memory bus: only the media thread writes.
      const band = LATENESS + Math.min(BANDS - 1, Math.floor(lateMs / BAND_MS));
      const lateUs = Math.min(2 ** 31 - 1, Math.round(lateMs * 1000));
      numbers[PACKETS] = (numbers[PACKETS] ?? 0) + 1;
      numbers[band] = (numbers[band] ?? 0) + 1;
      if (lateUs > (numbers[MAX_LATENESS_US] ?? 0)) numbers[MAX_LATENESS_US] = lateUs;
    },
  };
};

/** A number that changes while the thread is alive. */
export const readBeat = (memory: SharedArrayBuffer): number => Atomics.load(new Int32Array(memory), BEAT);

export const readOverloaded = (memory: SharedArrayBuffer): boolean =>
  Atomics.load(new Int32Array(memory), OVERLOADED) === 1;

/** How late packets left, over all calls of some threads since they started. */
export interface Lateness {
  /** Counted modulo 2^32. */
  readonly packets: number;
  /** Of them, those that left 10 ms late or more. */
  readonly latePackets: number;
  readonly maxMs: number;
  /** Packets in each tenth of a millisecond; the last is for all that were 100 ms late or more. */
  readonly bands: readonly number[];
}

export const readLateness = (memories: readonly SharedArrayBuffer[]): Lateness => {
  const all = memories.map((memory) => new Int32Array(memory));
  const sum = (place: number): number =>
    all.reduce((total, numbers) => total + (Atomics.load(numbers, place) >>> 0), 0);
  const bands = Array.from({ length: BANDS }, (_, band) => sum(LATENESS + band));
  return {
    packets: sum(PACKETS),
    latePackets: bands.slice(Math.round(LATE_MS / BAND_MS)).reduce((total, packets) => total + packets, 0),
    maxMs: Math.max(0, ...all.map((numbers) => Atomics.load(numbers, MAX_LATENESS_US) / 1000)),
    bands,
  };
};
