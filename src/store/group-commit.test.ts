import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { blast, provision, trunk } from '../../test/support/store-fixture.ts';
import { AppError } from '../domain/app-error.ts';
import type { EndedCommit } from '../domain/metrics.ts';
import type { Store, Transaction } from '../domain/store-port.ts';
import { createGroupCommit } from './group-commit.ts';
import { storeOver } from './open-store.ts';
import { type OpenDatabase, openDatabase } from './sqlite/open-database.ts';
import { writerSession } from './sqlite/writer.ts';
import { openVault } from './vault.ts';

/** Commits in a WAL: frames whose header tells the size of the database after a commit (sqlite.org/fileformat.html 4.1). */
const countCommits = (walPath: string): number => {
  const wal = readFileSync(walPath);
  const frameBytes = 24 + wal.readUInt32BE(8);
  let commits = 0;
  for (let at = 32; at + frameBytes <= wal.length; at += frameBytes) if (wal.readUInt32BE(at + 4) > 0) commits += 1;
  return commits;
};

describe('group commit', () => {
  let directory: string;
  let path: string;
  let database: OpenDatabase;
  let store: Store;
  let noted: EndedCommit[];
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ringcast-commit-'));
    path = join(directory, 'ringcast.db');
    const vault = await openVault(directory);
    database = await openDatabase(path);
    noted = [];
    store = storeOver(database, path, vault, { noteCommit: (commit) => noted.push(commit) });
    await store.transact((tx) => provision(tx));
  });
  afterEach(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });
  const many = <T>(count: number, work: (tx: Transaction, at: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, (_, at) => store.transact((tx) => work(tx, at))));
  const find = (id: string) => store.view((views) => views.findBlast(id));
  const sql = (statement: string): void => database.writer.raw.exec(statement);

  it('commits hundreds of units at once in a few commits, each of them durable', async () => {
    const before = countCommits(`${path}-wal`);
    await many(600, (tx, at) => tx.insertBlast(blast({ id: `b${at}` })));
    expect(countCommits(`${path}-wal`) - before).toBe(3);
    expect(noted.map(({ units, isCommitted }) => [units, isCommitted])).toEqual([
      [1, true],
      [256, true],
      [256, true],
      [88, true],
    ]);
    for (const { durationMs } of noted) expect(durationMs).toBeGreaterThan(0);
    expect(await store.view((views) => views.countWaiting())).toBe(600);
  });

  it('runs units one after another, in the order they came', async () => {
    const log: number[] = [];
    await many(3, async (tx, at) => {
      log.push(at);
      await tx.findSettings();
      log.push(at);
    });
    expect(log).toEqual([0, 0, 1, 1, 2, 2]);
  });

  it('rolls back a unit that throws, and it alone', async () => {
    const verdicts = await Promise.allSettled(
      ['a', 'b', 'c'].map((id) =>
        store.transact(async (tx) => {
          await tx.insertBlast(blast({ id }));
          if (id === 'b') throw new AppError('cannot_call_now', 'not now');
          return id;
        }),
      ),
    );
    expect(verdicts.map((verdict) => verdict.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(verdicts[1]).toMatchObject({ reason: { code: 'cannot_call_now' } });
    expect(await find('a')).not.toBeNull();
    expect(await find('b')).toBeNull();
    expect(await store.view((views) => views.countWaiting())).toBe(2);
  });

  it('passes on errors that are not of the database as they are', async () => {
    const bug = new TypeError('a bug');
    await expect(store.transact(() => Promise.reject(bug))).rejects.toBe(bug);
    await expect(store.view(() => Promise.reject(bug))).rejects.toBe(bug);
  });

  it('turns errors of the database into refusals', async () => {
    sql('alter table trunks rename to elsewhere');
    const refusal = { code: 'store_unavailable', cause: { code: 'ERR_SQLITE_ERROR' } };
    await expect(store.transact((tx) => tx.createTrunk(trunk()))).rejects.toMatchObject(refusal);
    await expect(store.view((views) => views.findTrunk('trunk'))).rejects.toMatchObject(refusal);
  });

  it('shows to others only what is committed, and all of it once it is told', async () => {
    const seen = await store.transact(async (tx) => {
      await tx.insertBlast(blast());
      return find('blast');
    });
    expect(seen).toBeNull();
    expect(await find('blast')).not.toBeNull();
  });

  it('shows a view one state of the data, whatever is committed meanwhile', async () => {
    await store.view(async (views) => {
      expect(await views.countWaiting()).toBe(0);
      await store.transact((tx) => tx.insertBlast(blast()));
      expect(await views.countWaiting()).toBe(0);
      expect(await store.view((inner) => inner.countWaiting())).toBe(1);
    });
  });

  it('serves more views at once than it has connections', async () => {
    let open = 0;
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const views = Array.from({ length: 20 }, () =>
      store.view(async (view) => {
        open += 1;
        if (open === 4) release();
        await gate;
        return view.countWaiting();
      }),
    );
    expect(await Promise.all(views)).toEqual(Array.from({ length: 20 }, () => 0));
  });

  it('reads the clock once for a batch', async () => {
    const times = await many(50, (tx) => tx.nowMs());
    expect(new Set(times).size).toBe(1);
    expect(Math.abs((times[0] ?? 0) - Date.now())).toBeLessThan(60_000);
  });

  it('refuses all of a batch when the disk is full, and works on when there is room again', async () => {
    const { raw } = database.writer;
    const pages = Number(raw.prepare('pragma page_count').get()?.page_count);
    sql(`pragma max_page_count = ${pages + 5}`);
    const octets = new Uint8Array(100_000);
    const verdicts = await Promise.allSettled([
      store.transact((tx) => tx.insertBlast(blast({ id: 'small' }))),
      store.transact((tx) => tx.stageOriginal('large', 0, octets)),
      store.transact((tx) => tx.insertBlast(blast({ id: 'later' }))),
    ]);
    for (const verdict of verdicts)
      expect(verdict).toMatchObject({ status: 'rejected', reason: { code: 'disk_full' } });
    expect(await find('small')).toBeNull();
    sql('pragma max_page_count = 1000000');
    await store.transact((tx) => tx.stageOriginal('large', 0, octets));
    await store.transact((tx) => tx.insertBlast(blast({ id: 'small' })));
    expect(await find('small')).not.toBeNull();
    expect(await store.view((views) => views.countWaiting())).toBe(1);
  });

  it('refuses all of a batch when the commit itself fails, and works on', async () => {
    const orphan = "insert into app_keys values ('k', 'nowhere', 'h', 0)";
    const verdicts = await Promise.allSettled([
      store.transact((tx) => tx.insertBlast(blast({ id: 'first' }))),
      store.transact(async () => sql(`pragma defer_foreign_keys = on; ${orphan}`)),
    ]);
    for (const verdict of verdicts)
      expect(verdict).toMatchObject({ status: 'rejected', reason: { code: 'store_unavailable' } });
    expect(noted.at(-1)).toMatchObject({ units: 2, isCommitted: false });
    expect(await find('first')).toBeNull();
    await store.transact((tx) => tx.insertBlast(blast({ id: 'second' })));
    expect(await find('second')).not.toBeNull();
  });

  it('refuses work above its bound, and takes it again when the queue is shorter', async () => {
    const commits = createGroupCommit(writerSession(database.writer), { maxBatch: 2, maxQueued: 3 });
    const submit = () => commits.submit(async () => 'done');
    const verdicts = await Promise.allSettled([submit(), submit(), submit(), submit()]);
    expect(verdicts.map((verdict) => verdict.status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
    expect(verdicts[3]).toMatchObject({ reason: { code: 'store_unavailable' } });
    expect(await submit()).toBe('done');
  });

  it('finishes what it has taken before it closes, and takes no more', async () => {
    const taken = many(300, (tx, at) => tx.insertBlast(blast({ id: `b${at}` })));
    const closed = store.close();
    await expect(store.transact((tx) => tx.findSettings())).rejects.toMatchObject({ code: 'store_unavailable' });
    await closed;
    await taken;
    await expect(store.view((views) => views.findSettings())).rejects.toMatchObject({ code: 'store_unavailable' });
    database = await openDatabase(path);
    store = storeOver(database, path, await openVault(directory));
    expect(await store.view((views) => views.countWaiting())).toBe(300);
  });
});
