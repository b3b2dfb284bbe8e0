import { setImmediate } from 'node:timers/promises';

/** A second-order filter, its coefficients divided by a0. */
interface Biquad {
  readonly b: readonly [number, number, number];
  readonly a: readonly [number, number];
}

/** K-weighting (ITU-R BS.1770-5 annex 1): its two filters, given for 48 kHz there, derived for any rate. */
const weighting = (rateHz: number): readonly [Biquad, Biquad] => [shelf(rateHz), highPass(rateHz)];

const shelf = (rateHz: number): Biquad => {
  const k = Math.tan((Math.PI * 1681.974450955533) / rateHz);
  const q = 0.7071752369554196;
  const high = 10 ** (3.999843853973347 / 20);
  const middle = high ** 0.4996667741545416;
  const a0 = 1 + k / q + k * k;
  return {
    b: [(high + (middle * k) / q + k * k) / a0, (2 * (k * k - high)) / a0, (high - (middle * k) / q + k * k) / a0],
    a: [(2 * (k * k - 1)) / a0, (1 - k / q + k * k) / a0],
  };
};

const highPass = (rateHz: number): Biquad => {
  const k = Math.tan((Math.PI * 38.13547087602444) / rateHz);
  const q = 0.5003270373238773;
  const a0 = 1 + k / q + k * k;
  return { b: [1, -2, 1], a: [(2 * (k * k - 1)) / a0, (1 - k / q + k * k) / a0] };
};

/** Filters one part after another, keeping what is left over from the part before. */
const createFilter = ({ b: [b0, b1, b2], a: [a1, a2] }: Biquad): ((samples: Float64Array) => void) => {
  let first = 0;
  let second = 0;
  return (samples) => {
    for (let i = 0; i < samples.length; i++) {
      const x = samples[i] as number;
      const y = b0 * x + first;
      first = b1 * x - a1 * y + second;
      second = b2 * x - a2 * y;
      samples[i] = y;
    }
  };
};

const meanSquare = (samples: Float64Array): number => {
  let sum = 0;
  for (let i = 0; i < samples.length; i++) sum += (samples[i] as number) ** 2;
  return sum / samples.length;
};

const HOPS_A_SECOND = 10;
const HOPS_A_BLOCK = 4;
const ABSOLUTE_GATE_LUFS = -70;
const RELATIVE_GATE_LU = -10;
/** Hops filtered before others have a turn: ten seconds of sound. */
const HOPS_A_TURN = 100;

const lufs = (power: number): number => -0.691 + 10 * Math.log10(power);
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Weighted power of each hop of 100 ms; of all there is if that is less than a block. */
const hopPowers = async (samples: Float32Array, rateHz: number): Promise<readonly number[]> => {
  const filters = weighting(rateHz).map(createFilter);
  const hop = rateHz / HOPS_A_SECOND;
  const size = samples.length < hop * HOPS_A_BLOCK ? samples.length : hop;
  const powers: number[] = [];
  for (let start = 0; size > 0 && start + size <= samples.length; start += size) {
    const part = Float64Array.from(samples.subarray(start, start + size));
    for (const filter of filters) filter(part);
    powers.push(meanSquare(part));
    if (powers.length % HOPS_A_TURN === 0) await setImmediate();
  }
  return powers;
};

const blockPowers = (hops: readonly number[]): readonly number[] => {
  if (hops.length < HOPS_A_BLOCK) return hops;
  const blocks = hops.length - HOPS_A_BLOCK + 1;
  return Array.from({ length: blocks }, (_, first) => mean(hops.slice(first, first + HOPS_A_BLOCK)));
};

/**
 * Integrated loudness of mono samples in LUFS (EBU R 128, ITU-R BS.1770-5): blocks of 400 ms every 100 ms, gated at
 * -70 LUFS and at 10 LU below the mean of the rest. Less than 400 ms is measured as one block. `-Infinity` if there
 * is nothing to hear. `rateHz` is a multiple of 10.
 */
export const measureLoudness = async (samples: Float32Array, rateHz: number): Promise<number> => {
  const audible = blockPowers(await hopPowers(samples, rateHz)).filter((power) => lufs(power) > ABSOLUTE_GATE_LUFS);
  if (audible.length === 0) return -Infinity;
  const gate = lufs(mean(audible)) + RELATIVE_GATE_LU;
  return lufs(mean(audible.filter((power) => lufs(power) > gate)));
};
