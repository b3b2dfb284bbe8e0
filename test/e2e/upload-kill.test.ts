import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { holdNodeLease } from '../../src/app/node-lease.ts';
import { monotonicMs, random, wakeAfter } from '../../src/clock.ts';
import { emptyScratch } from '../../src/data-directory.ts';
import type { Store, Views } from '../../src/domain/store-port.ts';
import { openSqliteStore } from '../../src/store/open-store.ts';
import { openVault } from '../../src/store/vault.ts';
import { NO_METRICS } from '../support/no-metrics.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import { makeDirectory } from '../support/ringcast.ts';
import { STEADY } from '../support/steady.ts';
import { tusClient } from '../support/tus-client.ts';

const CHILD = join(import.meta.dirname, '../support/upload-child.ts');
/** An upload has fewer steps than this, or something is wrong. */
const MOST_STEPS = 40;

type Octets = Uint8Array<ArrayBuffer>;
interface Target {
  readonly publicUrl: string;
  readonly uri: string;
}
/** Uploads the file; throws when the line breaks. */
type Upload = (target: Target, file: Octets) => Promise<void>;

const fileOf = (bytes: number, name: string): Octets => new Uint8Array(Buffer.alloc(bytes, `audio of ${name} `));
const sha256 = (octets: Uint8Array): string => createHash('sha256').update(octets).digest('hex');

const accepted = (response: Response, status: number): Response => {
  if (response.status === status) return response;
  throw new Error(`answered ${response.status}`);
};

const put: Upload = async ({ publicUrl, uri }, body) => {
  accepted(await fetch(publicUrl + uri, { method: 'PUT', body }), 201);
};

const form: Upload = async ({ publicUrl, uri }, file) => {
  const body = new FormData();
  body.append('file', new Blob([file]), 'clip.wav');
  accepted(await fetch(publicUrl + uri, { method: 'POST', body }), 201);
};

const tus: Upload = async ({ publicUrl, uri }, file) => {
  const { begin, patch } = tusClient(() => ({ publicUrl }));
  const location = await begin(uri, file.length);
  const half = Math.floor(file.length / 2);
  accepted(await patch(location, 0, file.subarray(0, half)), 204);
  accepted(await patch(location, half, file.subarray(half)), 204);
};

const startChild = async (directory: string, killAfter: number): Promise<{ child: ChildProcess; target: Target }> => {
  const child = spawn(process.execPath, [CHILD, directory, String(killAfter)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const { port, uri } = JSON.parse(line) as { port: number; uri: string };
    return { child, target: { publicUrl: `http://127.0.0.1:${port}`, uri } };
  }
  throw new Error('the child ended at start');
};

/** Uploads to a server that dies after that many steps; whether the sender was told that all is done. */
const uploadUntilKilled = async (directory: string, killAfter: number, upload: Upload, file: Octets) => {
  const { child, target } = await startChild(directory, killAfter);
  const ended = once(child, 'exit');
  const isDone = await upload(target, file).then(
    () => true,
    () => false,
  );
  // Killed by itself, or never reached: the upload had fewer steps.
  const wasKilled = child.signalCode !== null || !isDone;
  if (!wasKilled) child.kill('SIGKILL');
  await ended;
  return { isDone, wasKilled, token: target.uri.split('/').at(-1) ?? '' };
};

/** What a start does before it serves, and then what is there. */
const restarted = async (directory: string, look: (store: Store) => Promise<void>): Promise<void> => {
  const path = join(directory, 'ringcast.db');
  const store = await openSqliteStore({ path, vault: await openVault(directory), log: QUIET_LOG });
  try {
    await emptyScratch(join(directory, 'scratch'));
    const lease = await holdNodeLease({
      store,
      random,
      wakeAfter,
      monotonicMs,
      clock: STEADY,
      metrics: NO_METRICS,
      log: QUIET_LOG,
    });
    await store.transact((tx) => tx.sweep());
    await look(store).finally(() => lease.stop());
  } finally {
    await store.close();
  }
};

const originalOf = async (views: Views, clipId: string): Promise<Buffer> => {
  const parts: Uint8Array[] = [];
  for (let part = 0; ; part += 1) {
    const octets = await views.findOriginalPart(clipId, part);
    if (!octets) return Buffer.concat(parts);
    parts.push(octets);
  }
};

/** The grant is spent with a whole clip, or open and usable; never anything between. */
const expectWholeOrOpen = async (store: Store, token: string, file: Octets, isDone: boolean): Promise<boolean> => {
  const grant = await store.view((views) => views.findGrant(token));
  const clip = (await store.view((views) => views.findMedia('101')))?.clip;
  if (isDone) expect(grant?.state).toBe('spent');
  expect(['open', 'spent']).toContain(grant?.state);
  const isSpent = grant?.state === 'spent';
  expect(clip?.digest === sha256(file)).toBe(isSpent);
  if (isSpent) {
    expect((await store.view((views) => originalOf(views, clip?.id ?? ''))).equals(file)).toBe(true);
    expect(await store.view((views) => views.findRendition(clip?.id ?? '', 'PCMU'))).not.toBeNull();
  } else {
    expect(await store.transact((tx) => tx.claimGrant(grant?.ref ?? 0, '192.0.2.1'))).toBe(true);
    await store.transact((tx) => tx.releaseGrant(grant?.ref ?? 0, false));
  }
  return isSpent;
};

const ORPHANS = [
  'select clip_id from clip_originals where clip_id not in (select clip_id from media where clip_id is not null)',
  'select clip_id from clip_renditions where clip_id not in (select clip_id from media where clip_id is not null)',
  "select id from partial_uploads where grant_seq not in (select seq from grants where state = 'open')",
  'select upload_id from partial_upload_parts where upload_id not in (select id from partial_uploads)',
  "select seq from grants where state = 'claimed'",
];

const expectNothingOrphaned = async (directory: string): Promise<void> => {
  const database = new DatabaseSync(join(directory, 'ringcast.db'));
  expect(ORPHANS.map((statement) => database.prepare(statement).all())).toEqual(ORPHANS.map(() => []));
  database.close();
  expect(await readdir(join(directory, 'scratch'))).toEqual([]);
};

describe('kill -9 between every two steps of an upload', () => {
  it.concurrent.each([
    ['PUT', put, 1_100_000, 6],
    ['multipart', form, 1_100_000, 6],
    ['tus', tus, 150_000, 9],
  ] as const)(
    'B a server that dies after any step of a %s: the grant is open, or spent with the whole clip, and nothing is left over',
    { timeout: 180_000 },
    async (name, upload, bytes, fewestSteps) => {
      const directory = await makeDirectory();
      const states: boolean[] = [];
      for (let killAfter = 1; ; killAfter += 1) {
        expect(killAfter).toBeLessThan(MOST_STEPS);
        const file = fileOf(bytes, `${name} ${killAfter}`);
        const { isDone, wasKilled, token } = await uploadUntilKilled(directory, killAfter, upload, file);
        await restarted(directory, async (store) => {
          states.push(await expectWholeOrOpen(store, token, file, isDone));
        });
        await expectNothingOrphaned(directory);
        if (!wasKilled) break;
      }
      // Open after each step but the last, which is the commit, and after that the whole upload.
      expect(states.indexOf(true)).toBe(states.length - 2);
      expect(states.length).toBeGreaterThan(fewestSteps);
      await rm(directory, { recursive: true });
    },
  );
});
