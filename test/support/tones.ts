/** Tones made and measured: what goes in must come out. */

const FULL_SCALE = 32_768;

/** A sine wave; `level` in dB below the largest sine wave that 16 bits hold. */
export const tone = (options: { hz: number; rateHz: number; seconds: number; levelDb: number }): Int16Array => {
  const { hz, rateHz, seconds, levelDb } = options;
  const peak = FULL_SCALE * 10 ** (levelDb / 20);
  const step = (2 * Math.PI * hz) / rateHz;
  return Int16Array.from({ length: Math.round(seconds * rateHz) }, (_, i) => Math.round(peak * Math.sin(step * i)));
};

/** Power of one frequency by Goertzel's algorithm, as the mean square of the sine wave found. */
const powerAt = (samples: Int16Array, hz: number, rateHz: number): number => {
  const turn = 2 * Math.cos((2 * Math.PI * hz) / rateHz);
  let last = 0;
  let beforeLast = 0;
  for (const sample of samples) [last, beforeLast] = [sample + turn * last - beforeLast, last];
  const energy = last * last + beforeLast * beforeLast - turn * last * beforeLast;
  return (2 * energy) / samples.length ** 2;
};

/**
 * The level of one frequency in dB, on the scale of `tone`, and how much of the whole power it is (1 for a pure
 * tone). The samples should hold whole periods.
 */
export const measureTone = (samples: Int16Array, hz: number, rateHz: number): { levelDb: number; share: number } => {
  const power = powerAt(samples, hz, rateHz);
  const whole = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
  return { levelDb: 10 * Math.log10((2 * power) / FULL_SCALE ** 2), share: power / whole };
};
