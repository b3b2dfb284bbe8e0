import type { Log } from '../domain/ports.ts';
import type { DecoderProgram } from './decoder-process.ts';
import { findFfmpeg, tryNativeFfmpeg } from './native-ffmpeg.ts';
import { wasmFfmpeg } from './wasm-ffmpeg.ts';

/** Which FFmpeg to run; null for the WebAssembly build; undefined for the first one on PATH that works, if any. */
export type FfmpegPath = string | null | undefined;

const findProgram = async (ffmpegPath: FfmpegPath, directory: string, log: Log): Promise<DecoderProgram> => {
  if (ffmpegPath === null) return wasmFfmpeg(directory);
  const path = ffmpegPath ?? (await findFfmpeg(process.env.PATH ?? ''));
  if (path === null) return wasmFfmpeg(directory);
  const native = await tryNativeFfmpeg(path, directory);
  if (native) return native;
  if (ffmpegPath !== undefined) throw new Error(`${path} is not an FFmpeg that can decode audio here.`);
  log.warn({ path }, 'the ffmpeg found on PATH cannot decode audio here; using the WebAssembly build');
  return wasmFfmpeg(directory);
};

const KEEPS_NETWORK =
  'the decoder keeps its network, since this system lets no process give it up: only its list of protocols is in the way';

/** Finds what works here, by trial in an empty `directory`, and tells the log. Throws an Error if `ffmpegPath` does not. */
export const chooseDecoder = async (ffmpegPath: FfmpegPath, directory: string, log: Log): Promise<DecoderProgram> => {
  const program = await findProgram(ffmpegPath, directory, log);
  const { description, isolation } = program;
  log.info({ decoder: description, isolation: isolation.description }, 'audio decoder chosen');
  if (isolation.hasNetwork) log.warn({}, KEEPS_NETWORK);
  return program;
};
