import type { Peaks } from './api-shapes.ts';

/** Rising heights; a terminal shows them as bars. */
const BARS = ' ▁▂▃▄▅▆▇█';

/** A waveform as one line, a character for each stretch, its height that of the louder half. */
export const drawPeaks = (peaks: Peaks['peaks']): string =>
  peaks.map(([lowest, highest]) => BARS[Math.min(8, Math.ceil(Math.max(-lowest, highest) * 8))] ?? ' ').join('');

const inDbfs = (level: number | null): string => (level === null ? 'silence' : `${level.toFixed(1)} dBFS`);

/** `-3.1 dBFS at its loudest, -20.4 dBFS on average`. */
export const levelOf = ({ peakDbfs, rmsDbfs }: Peaks): string =>
  peakDbfs === null ? 'silence' : `${inDbfs(peakDbfs)} at its loudest, ${inDbfs(rmsDbfs)} on average`;
