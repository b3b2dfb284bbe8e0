import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { QUIET_LOG } from '../../test/support/quiet-log.ts';
import { claim } from '../../test/support/store-fixture.ts';
import type { Store } from '../domain/store-port.ts';
import { openSqliteStore } from './open-store.ts';
import { openVault } from './vault.ts';

const CHILD = join(import.meta.dirname, '../../test/support/store-child.ts');

describe('kill -9', () => {
  let directory: string;
  let path: string;
  let child: ChildProcessByStdio<Writable, Readable, null>;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ringcast-crash-'));
    path = join(directory, 'ringcast.db');
  });
  afterEach(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await rm(directory, { recursive: true });
  });

  /** Runs the child until `enough` of its lines, kills it there, and gives all that it had printed. */
  const killAfter = async (enough: (lines: readonly string[]) => boolean, mode: string): Promise<string[]> => {
    child = spawn(process.execPath, [CHILD, path, mode], { stdio: ['pipe', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    const lines: string[] = [];
    for await (const line of createInterface(child.stdout)) {
      lines.push(line);
      if (enough(lines)) child.kill('SIGKILL');
    }
    expect(await ended).toEqual([null, 'SIGKILL']);
    return lines;
  };
  const reopened = async (work: (store: Store) => Promise<void>): Promise<void> => {
    const store = await openSqliteStore({ path, vault: await openVault(directory), log: QUIET_LOG });
    await work(store).finally(() => store.close());
  };
  const expectWhole = async (store: Store, ids: readonly string[]): Promise<void> => {
    for (const id of ids) {
      const found = await store.view((views) => views.findBlast(id));
      expect([id, found?.calls.length]).toEqual([id, 3]);
      expect(await store.view((views) => views.recallBlast('app', id))).not.toBeNull();
    }
  };

  it('in mid-transaction keeps what was committed and nothing of the rest', async () => {
    const lines = await killAfter((all) => all.at(-1) === 'inside', 'hang');
    expect(lines).toHaveLength(21);
    await reopened(async (store) => {
      await expectWhole(store, lines.slice(0, -1));
      expect(await store.view((views) => views.findBlast('uncommitted'))).toBeNull();
      expect(await store.view((views) => views.findOriginalPart('uncommitted', 0))).toBeNull();
      expect(await store.view((views) => views.countWaiting())).toBe(60);
      // One for each destination.
      expect(await store.transact((tx) => tx.claimCalls(claim()))).toHaveLength(3);
    });
  });

  it.each([25, 60, 111])('after %i answers loses none of them, and leaves no half of any other', async (count) => {
    const lines = await killAfter((all) => all.length >= count, 'run');
    await reopened(async (store) => {
      await expectWhole(store, lines);
      const { items } = await store.view((views) => views.listBlasts({ limit: 200, cursor: null }));
      await expectWhole(
        store,
        items.map((item) => item.id),
      );
    });
  });
});
