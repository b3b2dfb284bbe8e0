import { AppError } from '../domain/app-error.ts';
import { type Codec, renditionBytes } from '../domain/codec.ts';
import { collectOutput } from './decoder-process.ts';
import { type Cut, encodeArguments } from './encode-arguments.ts';
import type { RunFfmpeg } from './ffmpeg-run.ts';
import type { WorkFolder } from './work-folder.ts';

/** What is encoded beyond the clip and dropped here: less than this many frames. */
const SURPLUS_FRAMES = 8;

/** Whole frames of one codec. FFmpeg adds what encoder and resampler looked ahead. */
const exactly = (octets: Buffer, codec: Codec, frameCount: number): Uint8Array => {
  const bytes = renditionBytes(codec, frameCount);
  if (octets.length >= bytes) return Uint8Array.prototype.slice.call(octets, 0, bytes);
  throw new AppError('ingest_busy', 'Encoding was interrupted; try again.');
};

/** Encodes what was decoded for wideband calls. Throws `ingest_busy`: what it reads is ours, and never at fault. */
export const encodeWide = async (
  run: RunFfmpeg,
  widePath: string,
  cut: Cut & { readonly frameCount: number },
  folder: WorkFolder,
): Promise<Record<'opus' | 'G722', Uint8Array>> => {
  const collect = (codec: Codec) => collectOutput(renditionBytes(codec, cut.frameCount + SURPLUS_FRAMES));
  const [opus, g722] = [collect('opus'), collect('G722')];
  const outputs = [opus.output, g722.output];
  await run({ path: widePath, arguments: encodeArguments(cut), directory: folder.empty, outputs });
  return {
    opus: exactly(opus.octets(), 'opus', cut.frameCount),
    G722: exactly(g722.octets(), 'G722', cut.frameCount),
  };
};
