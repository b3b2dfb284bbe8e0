import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createIngest } from '../../src/audio/ingest.ts';
import type { ClipAudio } from '../../src/domain/call.ts';
import { NO_PROCESSING } from '../../src/domain/media.ts';
import { readWav } from '../../src/rtp/wav.ts';
import { measureBands } from '../support/bands.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import { sharedRenditions } from '../support/renditions.ts';

const SPEECH = fileURLToPath(new URL('../../assets/sample-1.wav', import.meta.url));

export type Sound = ReturnType<typeof readWav>;

const shared = (octets: Uint8Array): SharedArrayBuffer => {
  const buffer = new SharedArrayBuffer(octets.length);
  new Uint8Array(buffer).set(octets);
  return buffer;
};

export interface Speech {
  readonly clip: ClipAudio;
  /** The file that it was made of. */
  readonly source: Sound;
}

/** A clip of somebody talking, made of its file as an upload is. */
export const ingestSpeech = async (build: 'native' | 'WebAssembly' = 'native'): Promise<Speech> => {
  const scratchDirectory = await mkdtemp(join(tmpdir(), 'ringcast-speech-'));
  const ffmpeg = build === 'native' ? {} : { ffmpegPath: null };
  const ingest = await createIngest({ scratchDirectory, log: QUIET_LOG, ...ffmpeg });
  const { frameCount, renditions } = await ingest(SPEECH, { maxSeconds: 10 }, NO_PROCESSING);
  await rm(scratchDirectory, { recursive: true });
  const clip = {
    key: 'speech',
    mediaId: null,
    frameCount,
    renditions: sharedRenditions((codec) => shared(renditions[codec])),
  };
  return { clip, source: readWav(readFileSync(SPEECH)) };
};

/**
 * What a phone made of a sound: how much louder it became, and its loudest and faintest third of an octave beside that,
 * in dB, over what both can hold; and how much longer it is.
 */
export const compareSounds = (heard: Sound, source: Sound) => {
  const theirs = measureBands(heard.samples, heard.sampleRateHz);
  const ours = measureBands(source.samples, source.sampleRateHz).slice(0, theirs.length);
  const gainDb = sumOf(theirs) - sumOf(ours);
  const apart = theirs.slice(0, ours.length).map((level, band) => Math.abs(level - (ours[band] ?? 0) - gainDb));
  return { gainDb, worstBandDb: Math.max(...apart), longerMs: lengthMs(heard) - lengthMs(source) };
};

const sumOf = (levelsDb: readonly number[]): number =>
  10 * Math.log10(levelsDb.reduce((sum, level) => sum + 10 ** (level / 10), 0));

const lengthMs = ({ samples, sampleRateHz }: Sound): number => (1000 * samples.length) / sampleRateHz;
