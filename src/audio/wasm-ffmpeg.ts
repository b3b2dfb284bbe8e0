import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DecoderProgram, runDecoder } from './decoder-process.ts';
import { findIsolation, isolationsHere, NO_ISOLATION } from './isolation.ts';

const HEAP_MIB = 128;

const require = createRequire(import.meta.url);
const thisFile = fileURLToPath(import.meta.url);

/** The script has the extension that this file has: `.ts` in src, `.js` in dist. */
const childScript = join(dirname(thisFile), `wasm-ffmpeg-child${extname(thisFile)}`);

const versionOf = (corePath: string): string =>
  JSON.parse(readFileSync(join(dirname(corePath), '../../package.json'), 'utf8')).version;

const TRIAL_TIME_LIMIT_MS = 10_000;
const READS_ALL = 'for (const path of process.argv.slice(1)) require("node:fs").accessSync(path)';

/** Whether Node starts there and may read what it needs: a stranger has no way into many a home folder. */
const startsIn = async (program: DecoderProgram, paths: readonly string[], directory: string): Promise<boolean> => {
  const trial = { arguments: ['-e', READS_ALL, ...paths], directory, input: 'ignore', outputs: [] } as const;
  const { exitCode } = await runDecoder(program, { ...trial, timeLimitMs: TRIAL_TIME_LIMIT_MS });
  return exitCode === 0;
};

/**
 * FFmpeg in WebAssembly, in a Node process of its own that may read its program and nothing else: no file is
 * writable, no process can be started, no connection made (Node's permission model). It bounds its own memory,
 * since a limit from outside would hit what V8 reserves. `directory` is an empty folder, for a trial.
 */
export const wasmFfmpeg = async (directory: string): Promise<DecoderProgram> => {
  const corePath = require.resolve('@ffmpeg/core');
  const paths = [childScript, corePath, require.resolve('@ffmpeg/core/wasm')];
  const permission = ['--permission', ...paths.map((path) => `--allow-fs-read=${path}`)];
  const program = {
    description: `FFmpeg in WebAssembly (@ffmpeg/core ${versionOf(corePath)})`,
    command: process.execPath,
    dataKiB: 'unlimited',
    atOnce: 1,
  } as const;
  const isolation = await findIsolation(isolationsHere(), (each) =>
    startsIn({ ...program, prefix: permission, isolation: each }, paths, directory),
  );
  return {
    ...program,
    prefix: [...permission, `--max-old-space-size=${HEAP_MIB}`, ...paths],
    isolation: isolation ?? NO_ISOLATION,
  };
};
