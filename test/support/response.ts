/** What renditions make of tones: flat where a telephone is heard, and nothing where nothing was sent. */
import { writeFile } from 'node:fs/promises';
import { CODEC_FRAMES, type Codec } from '../../src/domain/codec.ts';
import { NO_PROCESSING } from '../../src/domain/media.ts';
import type { Ingest } from '../../src/domain/ports.ts';
import { decodeRendition } from './decode-rendition.ts';
import { measureTone, tone } from './tones.ts';
import { wavOf } from './wav-formats.ts';

/** A tone each, one after another; the middle of each is measured. */
const TONE_SECONDS = 0.3;
const MEASURED_FROM = 0.05;
const MEASURED_SECONDS = 0.2;
const LEVEL_DB = -12;

export interface Response {
  readonly hz: number;
  /** How much louder or quieter the tone came out, at `heardAt`. */
  readonly gainDb: number;
}

/** The level of tones of a file at `rateHz` in its renditions, each looked for at `heardAt` of its frequency. */
export const measureResponse = async (options: {
  readonly ingest: Ingest;
  readonly path: string;
  readonly rateHz: number;
  readonly frequenciesHz: readonly number[];
  readonly codec: Codec;
  readonly heardAt?: (hz: number) => number;
}): Promise<readonly Response[]> => {
  const { ingest, path, rateHz, frequenciesHz, codec, heardAt = (hz) => hz } = options;
  const parts = frequenciesHz.map((hz) => tone({ hz, rateHz, seconds: TONE_SECONDS, levelDb: LEVEL_DB }));
  const samples = Int16Array.from(parts.flatMap((part) => [...part]));
  await writeFile(path, wavOf(samples, { format: 'float32', rateHz, channels: 1 }));
  const { renditions } = await ingest(path, { maxSeconds: 60 }, NO_PROCESSING);
  const outRateHz = CODEC_FRAMES[codec].sampleRateHz;
  const heard = decodeRendition(codec, renditions[codec]);
  return frequenciesHz.map((hz, index) => {
    const from = Math.round((index * TONE_SECONDS + MEASURED_FROM) * outRateHz);
    const part = heard.subarray(from, from + MEASURED_SECONDS * outRateHz);
    return { hz, gainDb: measureTone(part, heardAt(hz), outRateHz).levelDb - LEVEL_DB };
  });
};

/** Where a tone above 4 kHz would be heard in 8,000 samples a second. */
export const aliasOf = (hz: number): number => Math.abs(hz - 8000 * Math.round(hz / 8000));

/** Multiples of 5 Hz hold whole periods in what is measured. */
export const range = (fromHz: number, toHz: number, stepHz: number): readonly number[] =>
  Array.from({ length: Math.floor((toHz - fromHz) / stepHz) + 1 }, (_, i) => fromHz + i * stepHz);
