import { closeSync, fsyncSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/**
 * Writes the database at `path` as it is at one moment into the new file `target` (mode 0600), while a server may go
 * on with it. Blocks until the copy is on the disk. Throws what SQLite says.
 */
export const backUpDatabase = (path: string, target: string): void => {
  closeSync(openSync(target, 'wx', 0o600));
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  try {
    database.prepare('vacuum into ?').run(target);
  } finally {
    database.close();
  }
  const copy = openSync(target, 'r');
  fsyncSync(copy);
  closeSync(copy);
};
