import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Line, openLine } from '../../../test/support/line.ts';
import { createDatabase, postgresOfThisRun } from '../../../test/support/postgres-of-this-run.ts';
import { QUIET_LOG } from '../../../test/support/quiet-log.ts';
import { blast, provision } from '../../../test/support/store-fixture.ts';
import type { EndedCommit } from '../../domain/metrics.ts';
import type { Store } from '../../domain/store-port.ts';
import { openPostgresStore } from '../open-postgres-store.ts';
import { openVault } from '../vault.ts';

const server = await postgresOfThisRun();
const UNAVAILABLE = { status: 'rejected', reason: { code: 'store_unavailable' } };

describe.skipIf(server === null)('faults of PostgreSQL', () => {
  let directory: string;
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let line: Line;
  let store: Store;
  let backDoor: pg.Client;
  let commits: EndedCommit[];
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ringcast-faults-'));
    database = await createDatabase(server ?? '');
    backDoor = new pg.Client({ connectionString: database.url });
    await backDoor.connect();
    const url = new URL(database.url);
    line = await openLine(Number(url.port));
    url.port = String(line.port);
    commits = [];
    const metrics = { noteCommit: (commit: EndedCommit) => void commits.push(commit) };
    store = await openPostgresStore({ url: url.href, vault: await openVault(directory), log: QUIET_LOG, metrics });
    await store.transact((tx) => provision(tx));
  });
  afterEach(async () => {
    line.mend();
    await store.close();
    await line.close();
    await backDoor.end();
    await database.drop();
    await rm(directory, { recursive: true });
  });
  const insert = (id: string) => store.transact((tx) => tx.insertBlast(blast({ id })));
  const settings = () => store.view((views) => views.findSettings());
  const blasts = async (): Promise<string[]> =>
    (await backDoor.query('select id from blasts')).rows.map((row) => row.id);
  const sessions = async (): Promise<number[]> => {
    const query = 'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
    return (await backDoor.query(query)).rows.map((row) => row.pid);
  };
  /** Resolves when a unit works again, on connections made anew if need be. */
  const recovered = async (): Promise<void> => {
    for (;;) {
      const [verdict] = await Promise.allSettled([insert('afterwards')]);
      await new Promise(setImmediate);
      if (verdict?.status === 'fulfilled') break;
    }
    expect(await blasts()).toContain('afterwards');
  };

  it('refuses at once while the server is down, and recovers', async () => {
    line.cut();
    const verdicts = await Promise.allSettled([insert('a'), settings(), ...Array.from({ length: 40 }, settings)]);
    for (const verdict of verdicts) expect(verdict).toMatchObject(UNAVAILABLE);
    line.mend();
    await recovered();
    expect(await blasts()).toEqual(['afterwards']);
  });

  it('gives up units and views when the server does not answer, also those that wait for a connection', async () => {
    await Promise.all(Array.from({ length: 20 }, settings));
    line.hang();
    const verdicts = await Promise.allSettled(
      Array.from({ length: 40 }, (_, at) => (at % 2 ? insert(`${at}`) : settings())),
    );
    for (const verdict of verdicts) expect(verdict).toMatchObject(UNAVAILABLE);
    line.mend();
    await recovered();
  });

  it('tells no unit committed that is not, wherever the line breaks', async () => {
    const told: string[] = [];
    const writing = Array.from({ length: 16 }, async (_, writer) => {
      for (let at = 0; at < 25; at++)
        await insert(`${writer}-${at}`).then(
          () => told.push(`${writer}-${at}`),
          () => undefined,
        );
    });
    for (let cuts = 0; cuts < 5; cuts++) {
      const before = told.length;
      while (told.length < before + 20) await new Promise(setImmediate);
      line.cut();
      await new Promise(setImmediate);
      line.mend();
    }
    await Promise.all(writing);
    expect(told.length).toBeGreaterThan(100);
    const kept = new Set(await blasts());
    expect(told.filter((id) => !kept.has(id))).toEqual([]);
    await recovered();
  });

  it('keeps nothing of a unit whose line breaks half-way', async () => {
    const broken = store.transact(async (tx) => {
      await tx.insertBlast(blast({ id: 'half' }));
      line.cut();
      await tx.insertBlast(blast({ id: 'other half' }));
    });
    await expect(broken).rejects.toMatchObject({ code: 'store_unavailable' });
    line.mend();
    await recovered();
    expect(await blasts()).toEqual(['afterwards']);
  });

  it('gives up sessions that are stopped in the server, and goes on with others', async () => {
    await Promise.all(Array.from({ length: 20 }, settings));
    const stopped = await sessions();
    expect(stopped.length).toBeGreaterThan(1);
    for (const pid of stopped) process.kill(pid, 'SIGSTOP');
    try {
      await expect(insert('a')).rejects.toMatchObject({ code: 'store_unavailable' });
      await insert('at once');
    } finally {
      for (const pid of stopped) process.kill(pid, 'SIGCONT');
    }
  });

  it('refuses to write, and reads on, while the server is read-only; and recovers', async () => {
    const { rows } = await backDoor.query('select current_database() as name');
    const readOnly = (value: 'on' | 'off') =>
      backDoor.query(`alter database ${rows[0].name} set default_transaction_read_only = ${value}`);
    await readOnly('on');
    line.cut();
    line.mend();
    await Promise.allSettled([settings()]);
    await expect(insert('a')).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(await settings()).toEqual({ defaultGreetingId: null });
    await readOnly('off');
    await recovered();
  });

  it('keeps few connections however much is asked at once', async () => {
    await Promise.all(Array.from({ length: 200 }, (_, at) => insert(`${at}`)));
    expect((await sessions()).length).toBeLessThanOrEqual(8);
  });

  it('does not tell a unit committed in which a statement failed, though the unit went on', async () => {
    const swallowed = store.transact(async (tx) => {
      await tx.insertBlast(blast({ id: 'a' }));
      await Promise.allSettled([tx.insertBlast(blast({ id: 'a' }))]);
    });
    await expect(swallowed).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(commits.at(-1)).toMatchObject({ isCommitted: false });
    expect(await blasts()).toEqual([]);
    await recovered();
  });

  it('runs a unit that lost a race again, and passes on what a unit itself refuses', async () => {
    let runs = 0;
    await store.transact(async (tx) => {
      runs += 1;
      await tx.createAppKey('app', 'imported');
      for (const id of runs < 3 ? ['a', 'a'] : ['a']) await tx.insertBlast(blast({ id }));
    });
    expect([runs, await blasts()]).toEqual([3, ['a']]);
    const bug = new TypeError('a bug');
    await expect(store.transact(() => Promise.reject(bug))).rejects.toBe(bug);
  });
});
