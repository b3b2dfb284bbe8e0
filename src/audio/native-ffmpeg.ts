import { constants } from 'node:fs';
import { access, open, realpath, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { writeWav } from '../rtp/wav.ts';
import { DECODED_RATE_HZ, decodeArguments } from './decode-arguments.ts';
import { type DecoderProgram, type DecoderRun, runDecoder } from './decoder-process.ts';

const ADDRESS_SPACE_KIB = 1024 * 1024;
const PROBE_LIMITS = { maxOutputBytes: 64 * 1024, timeLimitMs: 10_000 };

const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

/** The first `ffmpeg` of a search path such as PATH; null if there is none. */
export const findFfmpeg = async (searchPath: string): Promise<string | null> => {
  for (const directory of searchPath.split(delimiter).filter((entry) => entry !== '')) {
    const path = join(directory, 'ffmpeg');
    if (await isExecutable(path)) return realpath(path);
  }
  return null;
};

const readVersion = async (program: DecoderProgram, run: Omit<DecoderRun, 'arguments'>): Promise<string | null> => {
  const { output } = await runDecoder(program, { ...run, arguments: ['-version'] });
  return /^ffmpeg version (\S+)/.exec(output.toString())?.[1] ?? null;
};

const TRIAL = Int16Array.from({ length: DECODED_RATE_HZ / 10 }, (_, i) => (i * 331) % 20_000);

/** Whether the program gives back a short file's samples unchanged, under the very limits it will have to live with. */
const decodesTrial = async (program: DecoderProgram, run: Omit<DecoderRun, 'arguments'>): Promise<boolean> => {
  const path = join(run.directory, 'trial.wav');
  await writeFile(path, writeWav(TRIAL, DECODED_RATE_HZ));
  const file = await open(path);
  try {
    const result = await runDecoder(program, { ...run, input: file.fd, arguments: decodeArguments('wav', 1) });
    return result.exitCode === 0 && result.output.equals(new Uint8Array(TRIAL.buffer));
  } finally {
    await file.close();
    await rm(path);
  }
};

/** The FFmpeg at `path`, if it is one and decodes; `directory` is an empty folder. Null otherwise. */
export const tryNativeFfmpeg = async (path: string, directory: string): Promise<DecoderProgram | null> => {
  const nameless = { description: path, command: path, prefix: [], addressSpaceKiB: ADDRESS_SPACE_KIB };
  const run = { directory, input: 'ignore', ...PROBE_LIMITS } as const;
  const version = await readVersion(nameless, run);
  if (version === null || !(await decodesTrial(nameless, run))) return null;
  return { ...nameless, description: `native FFmpeg ${version} (${path})` };
};
