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
  const peaks: (readonly [number, number])[] = [];
  let squares = 0;
  for (let at = 0; at < count; at += 1) {
    const from = Math.floor((at * ulaw.length) / count);
    const stretch = measure(ulaw, from, Math.floor(((at + 1) * ulaw.length) / count));
    peaks.push([inFullScale(stretch.lowest), inFullScale(stretch.highest)]);
    squares += stretch.squares;
  }
  const farthest = peaks.reduce((most, [lowest, highest]) => Math.max(most, -lowest, highest), 0);
  const rms = Math.sqrt(squares / Math.max(1, ulaw.length)) / FULL_SCALE;
  return { peaks, peakDbfs: inDb(farthest), rmsDbfs: inDb(rms) };
};

/** Lowest and highest sample, and the sum of their squares; a loop by index, since a clip has millions. */
const measure = (ulaw: Uint8Array, from: number, end: number) => {
  let lowest = FULL_SCALE;
  let highest = -FULL_SCALE;
  let squares = 0;
  for (let at = from; at < end; at += 1) {
    const sample = SAMPLES[ulaw[at] ?? 0] ?? 0;
    if (sample < lowest) lowest = sample;
    if (sample > highest) highest = sample;
    squares += sample * sample;
  }
  return { lowest, highest, squares };
};

const inFullScale = (sample: number): number => Number((sample / FULL_SCALE).toFixed(4));

const inDb = (share: number): number | null => (share === 0 ? null : Number((20 * Math.log10(share)).toFixed(1)));
