import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { startPostgres } from '../../test/support/postgres-server.ts';

/** An empty database for a server to be measured with, and for its baseline. */
export interface BenchDatabase {
  readonly name: string;
  /** Of a server on it, which keeps its files in `directory`. */
  readonly settings: Readonly<Record<string, string>>;
  readonly directory: string;
  countBlasts(): Promise<number>;
  clear(): Promise<void>;
}

/** In the checkout, not in /tmp, which may be memory: what is measured includes the disk. */
const makeDirectory = async (): Promise<string> => {
  const data = join(import.meta.dirname, '..', '..', 'data');
  await mkdir(data, { recursive: true });
  return mkdtemp(join(data, 'bench-'));
};

export const makeSqlite = async (): Promise<BenchDatabase> => {
  const directory = await makeDirectory();
  return {
    name: 'SQLite',
    settings: {},
    directory,
    async countBlasts() {
      const database = new DatabaseSync(join(directory, 'ringcast.db'));
      try {
        return Number(database.prepare('select count(*) as blasts from blasts').get()?.blasts);
      } finally {
        database.close();
      }
    },
    clear: () => rm(directory, { recursive: true }),
  };
};

export const makePostgres = async (): Promise<BenchDatabase> => {
  const directory = await makeDirectory();
  const server = await startPostgres([]);
  return {
    name: 'PostgreSQL',
    settings: { RINGCAST_DATABASE_URL: server.url },
    directory,
    async countBlasts() {
      const client = new pg.Client({ connectionString: server.url });
      await client.connect();
      try {
        return Number((await client.query('select count(*) as blasts from blasts')).rows[0]?.blasts);
      } finally {
        await client.end();
      }
    },
    async clear() {
      await server.stop();
      await rm(directory, { recursive: true });
    },
  };
};
