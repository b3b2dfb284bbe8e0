import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll } from 'vitest';
import { openPostgresStore } from '../../src/store/open-postgres-store.ts';
import { openVault } from '../../src/store/vault.ts';
import { createDatabase } from './postgres-of-this-run.ts';
import { QUIET_LOG } from './quiet-log.ts';
import type { StoreFixture } from './store-fixture.ts';

/** One database and one store for all tests of a file, emptied for each: a database takes longer to make than a test. */
export const postgresFixtures = (serverUrl: string): (() => Promise<StoreFixture>) => {
  let shared: ReturnType<typeof openShared> | null = null;
  afterAll(async () => (await shared)?.close());
  return async () => {
    shared ??= openShared(serverUrl);
    const { store, backDoor, empty } = await shared;
    await empty();
    return {
      store,
      async sql(statement, ...values) {
        let count = 0;
        const text = statement.replaceAll('?', () => `$${++count}`);
        return (await backDoor.query(text, values)).rows;
      },
      close: async () => undefined,
    };
  };
};

const openShared = async (serverUrl: string) => {
  const { url, drop } = await createDatabase(serverUrl);
  const directory = await mkdtemp(join(tmpdir(), 'ringcast-store-'));
  const store = await openPostgresStore({ url, vault: await openVault(directory), log: QUIET_LOG });
  const backDoor = new pg.Client({ connectionString: url });
  await backDoor.connect();
  return {
    store,
    backDoor,
    empty: await emptier(backDoor),
    async close() {
      await backDoor.end();
      await store.close();
      await drop();
      await rm(directory, { recursive: true });
    },
  };
};

/** Brings all rows back to what they are now. */
const emptier = async (backDoor: pg.Client): Promise<() => Promise<void>> => {
  const { rows } = await backDoor.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public'",
  );
  await backDoor.query(rows.map(({ name }) => `create temp table kept_${name} as table public.${name}`).join(';'));
  const restore = rows.map(({ name }) => {
    const kept = `insert into ${name} overriding system value table kept_${name}`;
    return `delete from ${name}; ${kept}`;
  });
  const all = ['set session_replication_role = replica', ...restore, 'set session_replication_role = default'];
  return async () => void (await backDoor.query(all.join(';')));
};
