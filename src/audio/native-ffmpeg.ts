import { constants } from 'node:fs';
import { access, open, realpath, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { renditionBytes } from '../domain/codec.ts';
import { writeWav } from '../rtp/wav.ts';
import { decodeArguments, NARROW_RATE_HZ, SAMPLE_BYTES, WIDE_RATE_HZ } from './decode-arguments.ts';
import { collectOutput, type DecoderProgram, type DecoderRun, runDecoder } from './decoder-process.ts';
import { encodeArguments } from './encode-arguments.ts';
import { findIsolation, isolationsHere } from './isolation.ts';

const DATA_KIB = 128 * 1024;
const PROBE_TIME_LIMIT_MS = 10_000;

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

type ProbeRun = Pick<DecoderRun, 'directory'>;

const MAX_PROBE_BYTES = 64 * 1024;
const probe = async (program: DecoderProgram, run: Pick<DecoderRun, 'arguments' | 'directory' | 'input'>) => {
  const [first, second] = [collectOutput(MAX_PROBE_BYTES), collectOutput(MAX_PROBE_BYTES)];
  const outputs = [first.output, second.output];
  const { exitCode } = await runDecoder(program, { ...run, outputs, timeLimitMs: PROBE_TIME_LIMIT_MS });
  return { exitCode, output: first.octets() };
};

const readVersion = async (program: DecoderProgram, run: ProbeRun): Promise<string | null> => {
  const { output } = await probe(program, { ...run, input: 'ignore', arguments: ['-version'] });
  return /^ffmpeg version (\S+)/.exec(output.toString())?.[1] ?? null;
};

const TRIAL = Int16Array.from({ length: NARROW_RATE_HZ / 10 }, (_, i) => (i * 331) % 20_000);
const TRIAL_ORDER = { demuxer: 'wav', maxSeconds: 1, telephoneBand: false } as const;
const TRIAL_CUT = { start: 0, end: TRIAL.length, gain: 1 };

/** Runs one trial on a file of its own, which is gone afterwards. */
const tryOn = async (program: DecoderProgram, run: ProbeRun, octets: Uint8Array, args: readonly string[]) => {
  const path = join(run.directory, 'trial');
  await writeFile(path, octets);
  const file = await open(path);
  try {
    return await probe(program, { ...run, input: file.fd, arguments: args });
  } finally {
    await file.close();
    await rm(path);
  }
};

/** Whether the program gives back a short file's samples unchanged, under the very limits it will have to live with. */
const decodesTrial = async (program: DecoderProgram, run: ProbeRun): Promise<boolean> => {
  const { output } = await tryOn(program, run, writeWav(TRIAL, NARROW_RATE_HZ), decodeArguments(TRIAL_ORDER));
  const expected = Float32Array.from(TRIAL, (sample) => sample / 32_768);
  return output.equals(new Uint8Array(expected.buffer));
};

/** Whether it has encoders for Opus and G.722: builds without libopus are about. */
const encodesTrial = async (program: DecoderProgram, run: ProbeRun): Promise<boolean> => {
  const wide = new Uint8Array(TRIAL.length * (WIDE_RATE_HZ / NARROW_RATE_HZ) * SAMPLE_BYTES);
  const { exitCode, output } = await tryOn(program, run, wide, encodeArguments(TRIAL_CUT));
  return exitCode === 0 && output.length >= renditionBytes('opus', 1);
};

/**
 * The FFmpeg at `path`, in the strictest isolation in which it decodes and encodes; null if it does in none.
 * `directory` is an empty folder.
 */
export const tryNativeFfmpeg = async (path: string, directory: string): Promise<DecoderProgram | null> => {
  const nameless = { description: path, command: path, prefix: [], dataKiB: DATA_KIB, atOnce: 2 };
  const run = { directory };
  const isolation = await findIsolation(isolationsHere(), async (each) => {
    const program = { ...nameless, isolation: each };
    return (await decodesTrial(program, run)) && (await encodesTrial(program, run));
  });
  if (isolation === null) return null;
  const version = await readVersion({ ...nameless, isolation }, run);
  if (version === null) return null;
  return { ...nameless, isolation, description: `native FFmpeg ${version} (${path})` };
};
