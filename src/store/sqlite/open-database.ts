import { chmodSync, closeSync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { migrate } from '../migrate.ts';
import { readClockMs } from './clock.ts';
import { type Connection, connect } from './connection.ts';
import { SQLITE_DDL } from './ddl.ts';
import { explainOpening } from './errors.ts';
import { lockDatabase } from './lock.ts';

/**
 * WAL with FULL: a commit is on the disk when it returns. Savepoints keep what they would undo in memory, not in a
 * temporary file. The WAL is cut back to 64 MiB after a large commit.
 */
const PRAGMAS = `pragma journal_mode = wal;
  pragma synchronous = full;
  pragma cache_size = -16000;
  pragma temp_store = memory;
  pragma journal_size_limit = 67108864;`;

/** Their octets are not read at start, so that it stays quick however many clips there are. */
const UNCHECKED_TABLES = ['clip_originals', 'clip_renditions', 'partial_upload_parts'];

export interface OpenDatabase {
  readonly writer: Connection;
  close(): void;
}

/**
 * Takes the lock, opens and checks the file, and brings its schema up to date.
 * Throws an Error that names the fix: locked, not writable, damaged, or written by a newer version.
 */
export const openDatabase = async (path: string): Promise<OpenDatabase> => {
  try {
    const lock = lockDatabase(path);
    try {
      const writer = await openWriter(path);
      return {
        writer,
        close() {
          writer.raw.close();
          lock.release();
        },
      };
    } catch (error) {
      lock.release();
      throw error;
    }
  } catch (error) {
    throw explainOpening(path, error);
  }
};

const openWriter = async (path: string): Promise<Connection> => {
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  const writer = connect(path, { readOnly: false });
  try {
    writer.raw.exec(PRAGMAS);
    checkTables(writer.raw, path);
    await updateSchema(writer, path);
    return writer;
  } catch (error) {
    writer.raw.close();
    throw error;
  }
};

const checkTables = (raw: DatabaseSync, path: string): void => {
  const check = raw.prepare('select quick_check as finding from pragma_quick_check(?)');
  const tables = raw.prepare("select name from sqlite_schema where type = 'table'").all();
  for (const { name } of tables) {
    if (UNCHECKED_TABLES.includes(String(name))) continue;
    if (check.get(String(name))?.finding !== 'ok')
      throw new Error(
        `The database ${path} is damaged (table ${name}): restore it from a backup, or move it away to start anew.`,
      );
  }
};

const updateSchema = async ({ raw, db }: Connection, path: string): Promise<void> => {
  const nowMs = await readClockMs(db);
  raw.exec('begin immediate');
  try {
    await migrate(db, SQLITE_DDL, { path, nowMs });
    raw.exec('commit');
  } finally {
    if (raw.isTransaction) raw.exec('rollback');
  }
};
