import { randomBytes } from 'node:crypto';
import { access, chmod, constants, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectories } from './make-directories.ts';

/** Something outside the configuration stops the start; the sentence names the fix. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** Makes the data directory if need be and an empty scratch folder in it. Throws StartError. */
export const openDataDirectory = async (path: string): Promise<{ scratchDirectory: string }> => {
  const scratchDirectory = join(path, 'scratch');
  try {
    await makeDirectories(path, 0o700);
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    await makeDirectories(scratchDirectory, 0o700);
  } catch (error) {
    throw new StartError(
      `The data directory ${path} cannot be written (${codeOf(error)}): make it writable for this user, or name another with RINGCAST_DATA_DIR.`,
      { cause: error },
    );
  }
  return { scratchDirectory };
};

/** What an upload left behind when the last server died. Only to be called by the one server of this directory. */
export const emptyScratch = async (scratchDirectory: string): Promise<void> => {
  await rm(scratchDirectory, { recursive: true, force: true });
  await mkdir(scratchDirectory, { mode: 0o700 });
};

/** The operator token of the configuration, else the one kept in the data directory, made at first start. */
export const operatorTokenOf = async (path: string, configured: string | null): Promise<string> => {
  if (configured !== null) return configured;
  const file = join(path, 'operator-token');
  await writeFile(file, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' }).catch(
    (error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    },
  );
  await chmod(file, 0o600);
  const token = (await readFile(file, 'utf8')).trim();
  if (token.length >= 16) return token;
  throw new StartError(`The operator token in ${file} is too short: delete the file to have a new one made.`);
};

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);
