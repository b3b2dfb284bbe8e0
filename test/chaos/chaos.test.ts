import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDatabase, postgresOfThisRun } from '../support/postgres-of-this-run.ts';
import { dieAtEachPoint, inTurn, killAtRandom, startLoad } from './disasters.ts';
import { violationsOf } from './invariants.ts';
import { openSite, type Site } from './site.ts';

const postgres = await postgresOfThisRun();
const BLASTS_PER_SECOND = 4;
/** A longer run by hand: `npm run chaos`. */
const KILLS = 12;
const SEED = 6;
const QUIET = (): void => undefined;
const LIMIT_MS = 300_000;

let directory: string;
let site: Site;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ringcast-chaos-'));
});
afterEach(async () => {
  await site.close();
  await rm(directory, { recursive: true });
});

const nothingIsLost = async (): Promise<void> => {
  const evidence = await site.settle();
  expect(violationsOf(evidence)).toEqual([]);
  // Of such numbers as these, some of everything must have been seen.
  const outcomes = new Set(evidence.record.attempts.map(({ outcome }) => outcome));
  expect(outcomes).toEqual(new Set([...outcomes, 'completed', 'hung_up', 'busy', 'no_answer', 'interrupted']));
  expect(evidence.uploads.filter(({ created }) => created === 1).length).toBeGreaterThan(0);
};

it(
  `SQLite: nothing is lost and nobody called twice under ${KILLS} kill -9 at random and one at each crash point`,
  async () => {
    site = await openSite({ directory, databaseUrl: null, seed: SEED });
    const load = startLoad(site.clients, BLASTS_PER_SECOND);
    for (const node of site.fleet.nodes()) node.signal('SIGKILL');
    await killAtRandom(site, [0], KILLS, QUIET);
    await dieAtEachPoint(site, [0], QUIET);
    await site.start(0);
    await load.stop();
    await nothingIsLost();
  },
  LIMIT_MS,
);

describe.skipIf(postgres === null)('three nodes on PostgreSQL', () => {
  it(
    'lose nothing and call nobody twice when killed, stopped and cut off in turn, while others die at each crash point',
    async () => {
      const { url, drop } = await createDatabase(postgres ?? '');
      try {
        site = await openSite({ directory, databaseUrl: url, seed: SEED });
        for (const node of [...site.fleet.nodes()]) {
          node.signal('SIGKILL');
          await node.gone;
        }
        const load = startLoad(site.clients, BLASTS_PER_SECOND);
        await Promise.all([inTurn(site, url, QUIET), dieAtEachPoint(site, [3, 4], QUIET)]);
        await load.stop();
        await nothingIsLost();
      } finally {
        await site.close();
        await drop();
      }
    },
    LIMIT_MS,
  );
});
