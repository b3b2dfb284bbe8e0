import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { AppError } from '../domain/app-error.ts';
import { tooLong } from '../domain/media.ts';
import { type DecodeOrder, decodeArguments, NARROW_RATE_HZ, SAMPLE_BYTES, WIDE_RATE_HZ } from './decode-arguments.ts';
import { collectOutput, type DecoderOutput, type DecoderResult } from './decoder-process.ts';
import type { RunFfmpeg } from './ffmpeg-run.ts';
import { notAudio } from './not-audio.ts';
import { samplePeak } from './true-peak.ts';
import type { WorkFolder } from './work-folder.ts';

/** A decoded file: mono, full scale at 1. */
export interface Decoded {
  /** At 8 kHz. */
  readonly narrow: Float32Array;
  /** File of the samples at 48 kHz; it goes with the work folder. */
  readonly widePath: string;
  /** The greatest of its samples. */
  readonly widePeak: number;
}

/** Copied, since the octets may lie where no float may begin. */
export const samplesIn = (octets: Buffer): Float32Array => {
  const samples = new Float32Array(Math.floor(octets.length / SAMPLE_BYTES));
  new Uint8Array(samples.buffer).set(octets.subarray(0, samples.byteLength));
  return samples;
};

/** Writes the samples that pass to a file and keeps the greatest. */
const createWideOutput = (file: FileHandle, maxBytes: number): DecoderOutput & { peak: () => number } => {
  let peak = 0;
  let rest = Buffer.alloc(0);
  return {
    maxBytes,
    peak: () => peak,
    async write(part) {
      const octets = Buffer.concat([rest, part]);
      const whole = octets.length - (octets.length % SAMPLE_BYTES);
      peak = Math.max(peak, samplePeak(samplesIn(octets)));
      rest = octets.subarray(whole);
      await file.appendFile(octets.subarray(0, whole));
    },
  };
};

const judge = (result: DecoderResult, octets: number, maxSeconds: number): AppError | null => {
  if (result.end === 'too_much_output') {
    return tooLong(maxSeconds);
  }
  if (result.exitCode !== 0) return notAudio('The file is damaged, or holds no audio that can be decoded.');
  return octets === 0 ? notAudio('The file holds no sound.') : null;
};

/** Decodes a file of at most `maxSeconds`. Throws `not_audio`, `upload_too_long`, `ingest_busy`, `disk_full`. */
export const decode = async (
  run: RunFfmpeg,
  path: string,
  order: DecodeOrder,
  folder: WorkFolder,
): Promise<Decoded> => {
  const widePath = join(folder.path, 'wide');
  const file = await open(widePath, 'wx', 0o600);
  try {
    const narrow = collectOutput(order.maxSeconds * NARROW_RATE_HZ * SAMPLE_BYTES);
    const wide = createWideOutput(file, (order.maxSeconds + 1) * WIDE_RATE_HZ * SAMPLE_BYTES);
    const outputs = [narrow.output, wide];
    const result = await run({ path, arguments: decodeArguments(order), directory: folder.empty, outputs });
    const octets = narrow.octets();
    const refusal = judge(result, octets.length, order.maxSeconds);
    if (refusal) throw refusal;
    return { narrow: samplesIn(octets), widePath, widePeak: wide.peak() };
  } finally {
    await file.close();
  }
};
