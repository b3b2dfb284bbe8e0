import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from './connection.ts';

/** Where an upload was when its command ended, so that the same command goes on there. */
export interface UploadMemory {
  /** Address of the upload on the server, null if none is known. */
  recall(): Promise<string | null>;
  keep(uploadUrl: string): Promise<void>;
  forget(): Promise<void>;
}

/** Uploads that are remembered at most; the oldest are forgotten. */
const MAX_REMEMBERED = 100;

/**
 * Remembers the upload of one file through one grant, in a file of the user's cache folder that nobody else may read,
 * since the address holds the grant's token. A cache that cannot be read or written is done without.
 */
export const uploadMemory = async (
  grantUrl: string,
  file: string,
  environment: Environment = process.env,
): Promise<UploadMemory> => {
  const folder = join(cacheFolder(environment), 'ringcast', 'uploads');
  const path = join(folder, await nameOf(grantUrl, file));
  return {
    recall: () => readFile(path, 'utf8').then(urlIn, () => null),
    keep: (uploadUrl) => keep(folder, path, uploadUrl).catch(() => undefined),
    forget: () => rm(path, { force: true }).catch(() => undefined),
  };
};

const cacheFolder = ({ XDG_CACHE_HOME, LOCALAPPDATA }: Environment): string =>
  XDG_CACHE_HOME || LOCALAPPDATA || join(homedir(), '.cache');

/** Another name once the file has changed: what was sent of it would not fit what is there now. */
const nameOf = async (grantUrl: string, file: string): Promise<string> => {
  const { size, mtimeMs } = await stat(file);
  const key = JSON.stringify([grantUrl, await realpath(file), size, mtimeMs]);
  return createHash('sha256').update(key).digest('hex');
};

const urlIn = (text: string): string | null => (URL.canParse(text) ? text : null);

const keep = async (folder: string, path: string, uploadUrl: string): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(path, uploadUrl, { mode: 0o600 });
  const files = await Promise.all(
    (await readdir(folder)).map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })),
  );
  const oldest = files.toSorted((one, other) => other.at - one.at).slice(MAX_REMEMBERED);
  for (const { name } of oldest) await rm(join(folder, name), { force: true });
};
