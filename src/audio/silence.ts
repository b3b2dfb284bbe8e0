/** The part of a sound that is to be kept, in samples. */
export interface Part {
  readonly start: number;
  readonly end: number;
}

/** What is this far below the clip's loudness for 10 ms counts as silence. */
const SILENCE_LU = -40;
const KEPT_MS = 300;
const WINDOW_MS = 10;

const powerOf = (samples: Float32Array): number => {
  let sum = 0;
  for (let i = 0; i < samples.length; i++) sum += (samples[i] as number) ** 2;
  return sum / samples.length;
};

/** Leaves out leading and trailing silence beyond 300 ms each. What is silent throughout is kept whole. */
export const trimSilence = (samples: Float32Array, rateHz: number, loudnessLufs: number): Part => {
  const window = (rateHz * WINDOW_MS) / 1000;
  const threshold = 10 ** ((loudnessLufs + SILENCE_LU) / 10);
  const isSound = (at: number): boolean => powerOf(samples.subarray(at, at + window)) > threshold;
  const starts = Array.from({ length: Math.ceil(samples.length / window) }, (_, index) => index * window);
  const first = starts.find(isSound);
  const last = starts.findLast(isSound);
  if (first === undefined || last === undefined) return { start: 0, end: samples.length };
  const kept = (rateHz * KEPT_MS) / 1000;
  return { start: Math.max(first - kept, 0), end: Math.min(last + window + kept, samples.length) };
};
