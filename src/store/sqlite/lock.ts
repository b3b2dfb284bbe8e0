import { chmodSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { SQLITE_BUSY, sqliteCode } from './errors.ts';

/** Held until `release`, or until the process ends in whatever way. */
export interface FileLock {
  release(): void;
}

/**
 * Keeps a second server off the database at `path`. The lock is an exclusive transaction on a database of its own
 * beside it, which the operating system ends with the process. Throws an Error that names the fix if it is taken.
 *
 * The lock file must never be opened by other means in this process: closing it there would drop the lock (POSIX
 * ties locks to the process and the file).
 */
export const lockDatabase = (path: string): FileLock => {
  const lockPath = `${path}.lock`;
  const lock = new DatabaseSync(lockPath, { timeout: 0 });
  try {
    chmodSync(lockPath, 0o600);
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    if (sqliteCode(error) !== SQLITE_BUSY) throw error;
    throw new Error(
      `Another Ringcast uses the database ${path}: stop it first, or give this one a directory of its own with RINGCAST_DATA_DIR.`,
      { cause: error },
    );
  }
  return { release: () => lock.close() };
};
