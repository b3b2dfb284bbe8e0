import { randomBytes } from 'node:crypto';
import { access, copyFile, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readConfig } from './config.ts';
import { backUpDatabase } from './store/sqlite/backup.ts';

/** Beside the database: without the secret it is worthless; the token there may be none of. */
const FILES = [
  { name: 'secret', isRequired: true },
  { name: 'operator-token', isRequired: false },
];

/**
 * `ringcast backup`: makes the new folder `target` a data directory of its own, equal to the one of `environment` at one
 * moment, while a server may run on that. Throws an Error that names the fix; there is then no such folder.
 */
export const backUp = async (
  target: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> => {
  const { database, dataDirectory } = readConfig(environment);
  if (database.kind !== 'sqlite')
    throw new Error(
      'the database is PostgreSQL: back it up by pg_dump, and keep the file `secret` of any node with it.',
    );
  if (await exists(target)) throw new Error(`${target} exists already: name a folder that does not.`);
  if (!(await exists(database.path)))
    throw new Error(`there is no database ${database.path}: name the server's data directory by --data-dir.`);
  const draft = `${resolve(target)}.${randomBytes(4).toString('hex')}`;
  try {
    await mkdir(draft, { mode: 0o700 });
    backUpDatabase(database.path, join(draft, 'ringcast.db'));
    for (const file of FILES) await copyOne(dataDirectory, draft, file);
    await syncFolder(draft);
    await rename(draft, target);
    await syncFolder(dirname(resolve(target)));
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw new Error(`no backup was made: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
};

const copyOne = async (from: string, to: string, { name, isRequired }: (typeof FILES)[number]): Promise<void> => {
  const [source, copy] = [join(from, name), join(to, name)];
  if (!isRequired && !(await exists(source))) return;
  await copyFile(source, copy);
  const file = await open(copy, 'r+');
  try {
    await file.chmod(0o600);
    await file.sync();
  } finally {
    await file.close();
  }
};

const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
