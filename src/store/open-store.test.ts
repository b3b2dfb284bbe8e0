import { copyFile, mkdir, mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { QUIET_LOG } from '../../test/support/quiet-log.ts';
import { renditionsOf } from '../../test/support/renditions.ts';
import { blast, provision, trunk } from '../../test/support/store-fixture.ts';
import type { Store } from '../domain/store-port.ts';
import { openSqliteStore } from './open-store.ts';
import { openDatabase } from './sqlite/open-database.ts';
import { openVault } from './vault.ts';

/** `pragma synchronous` in numbers (sqlite.org/pragma.html). */
const FULL = 2;

describe('opening the SQLite store', () => {
  let directory: string;
  let path: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ringcast-open-'));
    path = join(directory, 'ringcast.db');
  });
  afterEach(() => rm(directory, { recursive: true }));
  const openAt = async (at: string): Promise<Store> =>
    openSqliteStore({ path: at, vault: await openVault(join(directory, 'vault')), log: QUIET_LOG });
  const openThenClose = async (work: (store: Store) => Promise<void> = async () => {}): Promise<void> => {
    const store = await openAt(path);
    await work(store);
    await store.close();
  };
  /** The error of an opening that must fail; the lock must then be free again. */
  const refusal = async (at = path): Promise<string> => {
    const error = await openAt(at).then(
      () => expect.unreachable('opened'),
      (reason: Error) => reason,
    );
    return error.message;
  };
  const sql = (statement: string): void => {
    const database = new DatabaseSync(path);
    database.exec(statement);
    database.close();
  };

  it('keeps everything from one start to the next', async () => {
    await openThenClose(async (store) => {
      await store.transact((tx) => provision(tx));
      await store.transact((tx) => tx.insertBlast(blast()));
    });
    const store = await openAt(path);
    expect(await store.view((views) => views.findBlast('blast'))).toMatchObject({ state: 'active' });
    expect(await store.view((views) => views.findCaller('nobody'))).toBeNull();
    await store.close();
  });

  it('makes files that only their owner may read', async () => {
    await openThenClose(async (store) => {
      await store.transact((tx) => tx.createTrunk(trunk()));
      for (const file of [path, `${path}-wal`, `${path}.lock`])
        expect([file, ((await stat(file)).mode & 0o777).toString(8)]).toEqual([file, '600']);
    });
  });

  it('writes ahead, and waits for the disk at each commit', async () => {
    const { writer, close } = await openDatabase(path);
    const pragma = (name: string) => Object.values(writer.raw.prepare(`pragma ${name}`).get() ?? {})[0];
    expect([pragma('journal_mode'), pragma('synchronous'), pragma('foreign_keys')]).toEqual(['wal', FULL, 1]);
    close();
  });

  it('seals passwords so that this vault can open them', async () => {
    await openThenClose((store) => store.transact(async (tx) => void (await tx.createTrunk(trunk()))));
    const database = new DatabaseSync(path);
    const { password } = database.prepare('select password from trunks').get() ?? {};
    database.close();
    const vault = await openVault(join(directory, 'vault'));
    expect(vault.unseal(String(password), 'trunk trunk password')).toBe('correct horse');
  });

  it('refuses a second server on the same file, and lets it in when the first has ended', async () => {
    const first = await openAt(path);
    expect(await refusal()).toMatch(/^Another Ringcast uses the database .*: stop it first, or .*RINGCAST_DATA_DIR\.$/);
    await first.transact((tx) => provision(tx));
    expect(await refusal()).toMatch(/^Another Ringcast/);
    await first.close();
    await openThenClose();
  });

  it('refuses a schema newer than it knows, and leaves it alone', async () => {
    await openThenClose();
    sql("insert into schema_migrations values (99, 'from the future', 0)");
    const before = await readFile(path);
    const newest = 22;
    const expected = `The database ${path} was written by a newer Ringcast (schema 99, this one knows ${newest}): install that version or restore a backup.`;
    expect(await refusal()).toBe(expected);
    expect(await refusal()).toBe(expected);
    expect(await readFile(path)).toEqual(before);
  });

  it('runs each migration once', async () => {
    await openThenClose((store) => store.transact((tx) => provision(tx)));
    await openThenClose();
    const database = new DatabaseSync(path);
    expect(database.prepare('select version, name from schema_migrations').all()).toEqual([
      { version: 1, name: 'initial' },
      { version: 2, name: 'partial uploads' },
      { version: 3, name: 'trunk transports' },
      { version: 6, name: 'processing and checksums' },
      { version: 7, name: 'nodes' },
      { version: 8, name: 'dialogs' },
      { version: 9, name: 'grant records' },
      { version: 10, name: 'events' },
      { version: 11, name: 'queues' },
      { version: 13, name: 'sip messages' },
      { version: 14, name: 'what was heard' },
      { version: 15, name: 'silences' },
      { version: 16, name: 'refusals' },
      { version: 17, name: 'clock' },
      { version: 18, name: 'old records' },
      { version: 19, name: 'events in order' },
      { version: 20, name: 'steady events' },
      { version: 21, name: 'loudness' },
      { version: 22, name: 'overload paces' },
    ]);
    database.close();
  });

  it('finds a rendition that is not as it was stored, and takes one from before there were digests', async () => {
    await openThenClose((store) => store.transact((tx) => provision(tx)));
    sql("update clip_renditions set octets = x'00' || substr(octets, 2) where codec = 'PCMU'");
    const damaged = 'The PCMU rendition of clip clip is damaged: upload its file again.';
    await openThenClose(async (store) => {
      await expect(store.view((views) => views.findRendition('clip', 'PCMU'))).rejects.toThrow(damaged);
      expect(await store.view((views) => views.findRendition('clip', 'PCMA'))).not.toBeNull();
    });
    sql("update clip_renditions set sha256 = null where codec = 'PCMU'");
    sql('update clips set rendition_set = 1');
    await openThenClose(async (store) => {
      expect(await store.view((views) => views.findRendition('clip', 'PCMU'))).not.toBeNull();
      const incomplete = () => store.view((views) => views.findIncompleteClips());
      expect(await incomplete()).toEqual([{ id: 'clip', frameCount: 2 }]);
      await store.transact((tx) => tx.completeClip('clip', renditionsOf(2, 1)));
      expect(await incomplete()).toEqual([]);
    });
  });

  it('refuses a file that is no database', async () => {
    await writeFile(path, 'this is not a database, whatever its name says. '.repeat(200));
    expect(await refusal()).toMatch(/is damaged or is no SQLite database: restore it from a backup/);
    expect(await refusal()).toMatch(/is damaged or is no SQLite database/);
  });

  it('refuses a database that is damaged within', async () => {
    await openThenClose(async (store) => {
      await store.transact((tx) => provision(tx));
      for (let at = 0; at < 200; at++) await store.transact((tx) => tx.insertBlast(blast({ id: `b${at}` })));
    });
    const whole = `${path}.whole`;
    await copyFile(path, whole);
    const { size } = await stat(path);
    for (const damage of ['scribble', 'cut']) {
      await copyFile(whole, path);
      const file = await open(path, 'r+');
      if (damage === 'scribble') await file.write(Buffer.alloc(size / 2, 0x5a), 0, size / 2, size / 2);
      else await file.truncate(size / 2);
      await file.close();
      expect(await refusal()).toMatch(/^The database .* is damaged.*: restore it from a backup/);
    }
  });

  it('refuses a database whose keys were hashed with another secret', async () => {
    await openThenClose();
    await rm(join(directory, 'vault'), { recursive: true });
    expect(await refusal()).toMatch(/is not the one that the keys in .* were hashed with: restore the file "secret"/);
  });

  it('names the fix when the directory cannot be used', async () => {
    await writeFile(join(directory, 'file'), '');
    expect(await refusal(join(directory, 'file', 'ringcast.db'))).toMatch(/cannot be made.*RINGCAST_DATA_DIR/);
    for (const taken of [path, `${path}.lock`]) {
      await mkdir(taken);
      expect(await refusal()).toMatch(/cannot be opened for writing.*RINGCAST_DATA_DIR/);
      await rm(taken, { recursive: true });
      await rm(`${path}.lock`, { force: true });
    }
  });
});
