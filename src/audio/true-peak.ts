/** Samples on either side that an interpolated value is made of. */
const REACH = 16;
const PHASES = 8;

/** A sinc under a Hann window, `REACH` samples to either side, for values `phase / PHASES` behind a sample. */
const kernel = (phase: number): Float64Array =>
  Float64Array.from({ length: 2 * REACH }, (_, tap) => {
    const distance = tap - REACH + 1 - phase / PHASES;
    const window = 0.5 + 0.5 * Math.cos((Math.PI * distance) / REACH);
    return distance === 0 ? 1 : (window * Math.sin(Math.PI * distance)) / (Math.PI * distance);
  });

const KERNELS = Array.from({ length: PHASES - 1 }, (_, index) => kernel(index + 1));

const valueAt = (samples: Float32Array, index: number, taps: Float64Array): number => {
  let sum = 0;
  for (let tap = 0; tap < taps.length; tap++) sum += (samples[index + tap - REACH + 1] ?? 0) * (taps[tap] as number);
  return sum;
};

const peakBehind = (samples: Float32Array, index: number): number =>
  Math.max(...KERNELS.map((taps) => Math.abs(valueAt(samples, index, taps))));

/** Samples this far below the greatest may have a greater value between them. */
const CANDIDATE_SHARE = 0.6;

export const samplePeak = (samples: Float32Array): number => {
  let peak = 0;
  for (let i = 0; i < samples.length; i++) peak = Math.max(peak, Math.abs(samples[i] as number));
  return peak;
};

/** The greatest value of the curve through the samples (true peak, ITU-R BS.1770-5 annex 2), 1 for full scale. */
export const truePeak = (samples: Float32Array): number => {
  const floor = samplePeak(samples) * CANDIDATE_SHARE;
  let peak = 0;
  for (let i = 0; i < samples.length; i++) {
    const here = Math.abs(samples[i] as number);
    if (here < floor || here === 0) continue;
    // Only beside a local maximum can the curve rise above its samples.
    if (here < Math.abs(samples[i - 1] ?? 0) || here < Math.abs(samples[i + 1] ?? 0)) continue;
    peak = Math.max(peak, here, peakBehind(samples, i), peakBehind(samples, i - 1));
  }
  return peak;
};
