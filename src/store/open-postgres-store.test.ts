import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLine } from '../../test/support/line.ts';
import { createDatabase, postgresOfThisRun } from '../../test/support/postgres-of-this-run.ts';
import { QUIET_LOG } from '../../test/support/quiet-log.ts';
import { blast, provision } from '../../test/support/store-fixture.ts';
import type { Log } from '../domain/ports.ts';
import type { Store } from '../domain/store-port.ts';
import { openPostgresStore } from './open-postgres-store.ts';
import { openVault } from './vault.ts';

const server = await postgresOfThisRun();

describe.skipIf(server === null)('opening the PostgreSQL store', () => {
  let directory: string;
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let logged: string[];
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ringcast-open-'));
    database = await createDatabase(server ?? '');
    logged = [];
  });
  afterEach(async () => {
    await database.drop();
    await rm(directory, { recursive: true });
  });
  const note = (fields: object, message: string) => void logged.push(JSON.stringify([fields, message]));
  const log: Log = { ...QUIET_LOG, info: note, warn: note, error: note };
  const openAt = async (url = database.url, vaultOf = 'vault'): Promise<Store> =>
    openPostgresStore({ url, vault: await openVault(join(directory, vaultOf)), log });
  const refusal = (url?: string, vaultOf?: string): Promise<string> =>
    openAt(url, vaultOf).then(
      () => expect.unreachable('opened'),
      (reason: Error) => reason.message,
    );
  const sql = async (statement: string): Promise<Record<string, unknown>[]> => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query(statement);
    await client.end();
    return rows;
  };
  const changed = (change: (url: URL) => void): string => {
    const url = new URL(database.url);
    change(url);
    return url.href;
  };

  it('makes the schema once, however many nodes start at the same time', async () => {
    const stores = await Promise.all(Array.from({ length: 5 }, () => openAt()));
    await stores[0]?.transact((tx) => provision(tx));
    await stores[1]?.transact((tx) => tx.insertBlast(blast()));
    expect(await stores[2]?.view((views) => views.findBlast('blast'))).toMatchObject({ state: 'active' });
    await Promise.all(stores.map((store) => store.close()));
    const applied = await sql('select version from schema_migrations order by version');
    expect(applied.length).toBe(new Set(applied.map(({ version }) => version)).size);
  });

  it('refuses a schema newer than it knows', async () => {
    await (await openAt()).close();
    await sql("insert into schema_migrations values (99, 'from the future', 0)");
    expect(await refusal()).toMatch(
      /^The database postgres:\/\/ringcast@.* was written by a newer Ringcast \(schema 99,/,
    );
  });

  it('refuses a node whose secret is another, and says where to get the right one', async () => {
    await (await openAt()).close();
    expect(await refusal(database.url, 'other')).toMatch(/copy it from the data directory of another node\.$/);
    await (await openAt()).close();
  });

  it('names the variable when user, password or database are wrong, and never tells the password', async () => {
    const wrong = {
      password: changed((url) => {
        url.password = 'hunter2';
      }),
      database: changed((url) => {
        url.pathname = '/nowhere';
      }),
    };
    for (const url of Object.values(wrong)) {
      const sentence = await refusal(url);
      expect(sentence).toMatch(/^The database postgres:.* cannot be used \(.+\): .*RINGCAST_DATABASE_URL\.$/);
      for (const text of [sentence, ...logged]) expect(text).not.toContain(new URL(url).password);
    }
    await (await openAt()).close();
    expect(logged.join()).toContain('database open');
    expect(logged.join()).not.toContain(new URL(database.url).password);
  });

  it('waits for a server that is still starting', async () => {
    const line = await openLine(Number(new URL(database.url).port));
    line.cut();
    const warned = new Promise<void>((resolve) => {
      log.warn = (fields, message) => {
        note(fields, message);
        resolve();
      };
    });
    const opening = openAt(
      changed((url) => {
        url.port = String(line.port);
      }),
    );
    await warned;
    line.mend();
    await (await opening).close();
    await line.close();
  });
});
