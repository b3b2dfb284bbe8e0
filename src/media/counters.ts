/**
 * Counters of one call in shared memory: the media thread adds, the main thread reads at any time. Element 0 holds the
 * packets sent, element 1 + n the frames sent of clip n. A packet counts once the kernel has taken it.
 */
export const createCounters = (clipCount: number): Int32Array<SharedArrayBuffer> =>
  new Int32Array(new SharedArrayBuffer((1 + clipCount) * Int32Array.BYTES_PER_ELEMENT));

/** Counts one packet that held a frame of clip number `clip`. */
export const countFrame = (counters: Int32Array, clip: number): void => {
  Atomics.add(counters, 1 + clip, 1);
  Atomics.add(counters, 0, 1);
};

export const readPacketsSent = (counters: Int32Array): number => Atomics.load(counters, 0);

/** Frames sent of each clip, in playlist order. */
export const readFramesSent = (counters: Int32Array): readonly number[] =>
  Array.from({ length: counters.length - 1 }, (_, clip) => Atomics.load(counters, 1 + clip));
