import { randomBytes } from 'node:crypto';
import { access, link, open, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../domain/ports.ts';
import { makeDirectories } from '../make-directories.ts';

const SECRET_BYTES = 32;
const OTHERS = 0o077;

/** Reads `<dataDirectory>/secret`, or makes it if there is no database yet whose keys it would make invalid. */
export const loadSecret = async (dataDirectory: string, databasePath: string | null, log?: Log): Promise<Buffer> => {
  const path = join(dataDirectory, 'secret');
  const secret = (await readSecret(path)) ?? (await makeSecret(dataDirectory, path, databasePath));
  if (secret.length !== SECRET_BYTES)
    throw new Error(
      `The secret ${path} holds ${secret.length} octets instead of ${SECRET_BYTES}: restore it from a backup of the data directory.`,
    );
  if (log) await warnIfExposed(path, log);
  return secret;
};

const readSecret = async (path: string): Promise<Buffer | null> => {
  try {
    return await readFile(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return null;
    throw new Error(`The secret ${path} cannot be read (${codeOf(error)}): give it to the user that runs Ringcast.`, {
      cause: error,
    });
  }
};

const makeSecret = async (directory: string, path: string, databasePath: string | null): Promise<Buffer> => {
  if (databasePath !== null && (await exists(databasePath)))
    throw new Error(
      `The secret ${path} is missing, and without it no key in ${databasePath} is valid: restore it from a backup of the data directory, or move the database away to start anew.`,
    );
  try {
    await makeDirectories(directory, 0o700);
    await writeSecret(directory, path);
  } catch (error) {
    throw new Error(
      `The data directory ${directory} cannot be written (${codeOf(error)}): give it to the user that runs Ringcast, or choose another with RINGCAST_DATA_DIR.`,
      { cause: error },
    );
  }
  return readFile(path);
};

/** A crash leaves either no secret or a whole one; of two that start at once the first to link wins. */
const writeSecret = async (directory: string, path: string): Promise<void> => {
  const draft = join(directory, `secret.${randomBytes(8).toString('hex')}`);
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(randomBytes(SECRET_BYTES));
    await file.sync();
    await link(draft, path).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
  } finally {
    await file.close();
    await rm(draft, { force: true });
  }
  await syncDirectory(directory);
};

const syncDirectory = async (directory: string): Promise<void> => {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

const warnIfExposed = async (path: string, log: Log): Promise<void> => {
  const { mode } = await stat(path);
  if ((mode & OTHERS) !== 0)
    log.warn({ path, mode: (mode & 0o777).toString(8) }, 'other users may read the secret: chmod 600 it');
};

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);
