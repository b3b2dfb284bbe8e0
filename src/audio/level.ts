const TARGET_LUFS = -20;
const MAX_TRUE_PEAK_DB = -2;
/** A recording that needs more than this is hardly speech: its noise would be heard, not its words. */
const MAX_GAIN_DB = 40;

export const inDb = (factor: number): number => 20 * Math.log10(factor);

/**
 * What to multiply a sound by so that it is as loud as every other clip: -20 LUFS, less where its true peak would
 * pass -2 dBFS. No compression: the clip keeps its dynamics. 1 for what cannot be heard.
 */
export const gainFor = (loudnessLufs: number, truePeak: number): number => {
  if (!Number.isFinite(loudnessLufs) || truePeak === 0) return 1;
  const peakDb = inDb(truePeak);
  return 10 ** (Math.min(TARGET_LUFS - loudnessLufs, MAX_TRUE_PEAK_DB - peakDb, MAX_GAIN_DB) / 20);
};
