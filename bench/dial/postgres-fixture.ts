import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openPostgresStore } from '../../src/store/open-postgres-store.ts';
import { openVault } from '../../src/store/vault.ts';
import { startPostgres } from '../../test/support/postgres-server.ts';
import { QUIET_LOG } from '../../test/support/quiet-log.ts';
import type { StoreFixture } from '../../test/support/store-fixture.ts';

/** A store on a PostgreSQL server of its own. */
export const openPostgresFixture = async (): Promise<StoreFixture> => {
  const postgres = await startPostgres([]);
  const directory = await mkdtemp(join(tmpdir(), 'ringcast-bench-'));
  const store = await openPostgresStore({ url: postgres.url, vault: await openVault(directory), log: QUIET_LOG });
  const backDoor = new pg.Client({ connectionString: postgres.url });
  await backDoor.connect();
  return {
    store,
    async sql(statement, ...values) {
      let count = 0;
      const text = statement.replaceAll('?', () => `$${++count}`);
      return (await backDoor.query(text, values)).rows;
    },
    async close() {
      await backDoor.end();
      await store.close();
      await postgres.stop();
      await rm(directory, { recursive: true });
    },
  };
};
