import { dirname } from 'node:path';
import type { Metrics } from '../domain/metrics.ts';
import type { Log } from '../domain/ports.ts';
import type { Store } from '../domain/store-port.ts';
import { makeDirectories } from '../make-directories.ts';
import { transactionOf, viewsOf } from './assemble.ts';
import { createGroupCommit, LIMITS } from './group-commit.ts';
import { NO_ROW_LOCKS } from './row-locks.ts';
import { readClockMs } from './sqlite/clock.ts';
import { sqliteJsonRows } from './sqlite/json-rows.ts';
import { type OpenDatabase, openDatabase } from './sqlite/open-database.ts';
import { createReaders } from './sqlite/readers.ts';
import { writerSession } from './sqlite/writer.ts';
import type { Vault } from './vault.ts';
import { requireSameVault } from './vault-check.ts';

export interface SqliteStoreOptions {
  readonly path: string;
  readonly vault: Vault;
  readonly log: Log;
  /** Where commits are noted; left out, nowhere. */
  readonly metrics?: Pick<Metrics, 'noteCommit'>;
}

/**
 * Opens the store in the SQLite file at `path`, which is made if it does not exist.
 * Throws an Error with one sentence that names the fix if it cannot be used.
 */
export const openSqliteStore = async ({ path, vault, log, metrics }: SqliteStoreOptions): Promise<Store> => {
  await makeDirectory(dirname(path));
  const database = await openDatabase(path);
  try {
    await requireSameVault(database.writer.db, vault, path);
  } catch (error) {
    database.close();
    throw error;
  }
  log.info({ path }, 'database open');
  return storeOver(database, path, vault, metrics);
};

/** The store over an open database. */
export const storeOver = (
  database: OpenDatabase,
  path: string,
  vault: Vault,
  metrics?: Pick<Metrics, 'noteCommit'>,
): Store => {
  const { db } = database.writer;
  let nodeId = '';
  const ahead = { ms: 0 };
  const session = writerSession(database.writer);
  const commits = createGroupCommit(session, LIMITS, metrics?.noteCommit);
  const context = { vault, locks: NO_ROW_LOCKS, jsonRows: sqliteJsonRows, nodeId: () => nodeId, ahead };
  const transaction = transactionOf({
    ...context,
    db,
    nowMs: async () => (await session.nowMs()) - ahead.ms,
    readClockMs: () => readClockMs(db),
  });
  const readers = createReaders(path, (reader) =>
    viewsOf({
      ...context,
      db: reader.db,
      nowMs: async () => (await readClockMs(reader.db)) - ahead.ms,
      readClockMs: () => readClockMs(reader.db),
    }),
  );
  return {
    transact: (work) => commits.submit(() => work(transaction)),
    view: (work) => readers.view(work),
    actAs(id) {
      nodeId = id;
    },
    isShared: false,
    async close() {
      await commits.drain();
      await readers.close();
      database.close();
    },
  };
};

const makeDirectory = async (directory: string): Promise<void> => {
  try {
    await makeDirectories(directory, 0o700);
  } catch (error) {
    throw new Error(
      `The folder ${directory} of the database cannot be made (${(error as NodeJS.ErrnoException).code}): choose another with RINGCAST_DATA_DIR or RINGCAST_DATABASE_URL.`,
      { cause: error },
    );
  }
};
