import { G711_FRAME_BYTES } from '../domain/codec.ts';
import type { IngestedAudio, Loudness, Processing } from '../domain/media.ts';
import { encodeAlaw, encodeUlaw } from '../rtp/g711.ts';
import { NARROW_RATE_HZ } from './decode-arguments.ts';
import type { Decoded } from './decoder.ts';
import type { Cut } from './encode-arguments.ts';
import { encodeWide } from './encoder.ts';
import type { RunFfmpeg } from './ffmpeg-run.ts';
import { gainFor, inDb } from './level.ts';
import { measureLoudness } from './loudness.ts';
import { trimSilence } from './silence.ts';
import { truePeak } from './true-peak.ts';
import type { WorkFolder } from './work-folder.ts';

interface Plan {
  readonly cut: Cut;
  readonly loudness: Loudness | null;
}

/** Measured over the whole file, before anything is cut off. */
const planCut = async ({ narrow, widePeak }: Decoded, { level, trim }: Processing): Promise<Plan> => {
  const sourceLufs = await measureLoudness(narrow, NARROW_RATE_HZ);
  const peak = Math.max(widePeak, truePeak(narrow));
  const part = trim ? trimSilence(narrow, NARROW_RATE_HZ, sourceLufs) : { start: 0, end: narrow.length };
  const gain = level ? gainFor(sourceLufs, peak) : 1;
  const heard = { sourceLufs, lufs: sourceLufs + inDb(gain), truePeakDbfs: inDb(peak * gain) };
  return { cut: { ...part, gain }, loudness: Number.isFinite(sourceLufs) ? heard : null };
};

const FULL_SCALE = 32_768;

/** Sixteen bits of the cut, the last frame filled up with silence. What is out of range is held at its edge. */
const narrowSamples = (narrow: Float32Array, { start, end, gain }: Cut, frameCount: number): Int16Array => {
  const samples = new Int16Array(frameCount * G711_FRAME_BYTES);
  for (let i = 0; i < end - start; i++) {
    const sample = Math.round((narrow[start + i] as number) * gain * FULL_SCALE);
    samples[i] = Math.max(-FULL_SCALE, Math.min(sample, FULL_SCALE - 1));
  }
  return samples;
};

/** Levels, cuts and encodes what was decoded, for every codec. Throws `ingest_busy`. */
export const render = async (
  run: RunFfmpeg,
  decoded: Decoded,
  processing: Processing,
  folder: WorkFolder,
): Promise<Omit<IngestedAudio, 'type'>> => {
  const { cut, loudness } = await planCut(decoded, processing);
  const frameCount = Math.ceil((cut.end - cut.start) / G711_FRAME_BYTES);
  const wide = await encodeWide(run, decoded.widePath, { ...cut, frameCount }, folder);
  const samples = narrowSamples(decoded.narrow, cut, frameCount);
  return { frameCount, loudness, renditions: { ...wide, PCMU: encodeUlaw(samples), PCMA: encodeAlaw(samples) } };
};
