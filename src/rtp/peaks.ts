import { decodeUlaw } from './g711.ts';

/** A waveform for drawing, and how loud it is. */
export interface Waveform {
  /** The lowest and the highest sample of each stretch, from -1 to 1. */
  readonly peaks: readonly (readonly [lowest: number, highest: number])[];
  /** Of the sample farthest from zero, in dB below full scale; null if all is zero. */
  readonly peakDbfs: number | null;
  /** Root mean square of all samples; a full-scale sine wave has -3 dB. */
  readonly rmsDbfs: number | null;
}

const FULL_SCALE = 32_768;
/** The sample of each octet. */
const SAMPLES = decodeUlaw(Uint8Array.from({ length: 256 }, (_, octet) => octet));

/** The waveform of µ-law octets in `points` stretches as long as each other, or one for each sample if those are fewer. */
export const waveformOfUlaw = (ulaw: Uint8Array, points: number): Waveform => {
  const count = Math.min(points, ulaw.length);
  const borders = Array.from({ length: count + 1 }, (_, at) => Math.floor((at * ulaw.length) / count));
  const peaks = borders.slice(1).map((end, at) => peakOf(ulaw.subarray(borders[at], end)));
  const farthest = peaks.reduce((most, [lowest, highest]) => Math.max(most, -lowest, highest), 0);
  return { peaks, peakDbfs: inDb(farthest), rmsDbfs: inDb(rmsOf(ulaw)) };
};

const peakOf = (ulaw: Uint8Array): readonly [number, number] => {
  let lowest = FULL_SCALE;
  let highest = -FULL_SCALE;
  for (const octet of ulaw) {
    const sample = SAMPLES[octet] ?? 0;
    if (sample < lowest) lowest = sample;
    if (sample > highest) highest = sample;
  }
  return [inFullScale(lowest), inFullScale(highest)];
};

const rmsOf = (ulaw: Uint8Array): number => {
  let squares = 0;
  for (const octet of ulaw) squares += (SAMPLES[octet] ?? 0) ** 2;
  return ulaw.length === 0 ? 0 : Math.sqrt(squares / ulaw.length) / FULL_SCALE;
};

const inFullScale = (sample: number): number => Number((sample / FULL_SCALE).toFixed(4));

const inDb = (share: number): number | null => (share === 0 ? null : Number((20 * Math.log10(share)).toFixed(1)));
