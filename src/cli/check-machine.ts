import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Check, ok, problem } from './check.ts';

const MIN_NODE_MAJOR = 24;
const FFMPEG_TIMEOUT_MS = 10_000;

/** Whether this Node can run Ringcast. */
export const checkNode = (version: string): Check =>
  Number.parseInt(version, 10) >= MIN_NODE_MAJOR
    ? ok('node', version)
    : problem('node', `${version} is too old`, `install Node ${MIN_NODE_MAJOR} or newer`);

const isThere = (path: string): Promise<boolean> =>
  access(path, constants.F_OK).then(
    () => true,
    () => false,
  );

const nearestThatExists = async (path: string): Promise<string> =>
  (await isThere(path)) || dirname(path) === path ? path : nearestThatExists(dirname(path));

/** Whether the data directory, or the folder it would be made in, can be written: by writing. */
export const checkDataDirectory = async (directory: string): Promise<Check> => {
  const path = resolve(directory);
  const existing = await nearestThatExists(path);
  try {
    await rm(await mkdtemp(join(existing, '.ringcast-doctor-')), { recursive: true });
    return ok('data directory', existing === path ? path : `${path} (will be made)`);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const fix = `make ${existing} writable for this user, or name another with --data-dir`;
    return problem('data directory', `${path} cannot be written (${code})`, fix);
  }
};

/** Which decoder uploads go through: the machine's ffmpeg, else the WebAssembly build. */
export const checkFfmpeg = async (): Promise<Check> => {
  try {
    const { stdout } = await promisify(execFile)('ffmpeg', ['-version'], { timeout: FFMPEG_TIMEOUT_MS });
    return ok('ffmpeg', stdout.split('\n')[0] ?? 'native');
  } catch {
    // Not there, or it does not run: the WebAssembly build takes its place.
    return checkWasmFfmpeg();
  }
};

const checkWasmFfmpeg = (): Check => {
  try {
    import.meta.resolve('@ffmpeg/core');
    return ok('ffmpeg', 'WebAssembly build (a native ffmpeg on the PATH decodes long files faster)');
  } catch {
    return problem('ffmpeg', 'neither native nor as WebAssembly', 'install ffmpeg, or run `npm install` again');
  }
};
