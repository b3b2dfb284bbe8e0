import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDatabase, postgresOfThisRun } from '../support/postgres-of-this-run.ts';
import type { Evidence } from './evidence.ts';
import { violationsOf } from './invariants.ts';
import { dieAtEachPoint, killAtRandom } from './kills.ts';
import { startLoad } from './load.ts';
import { openSite, type Site } from './site.ts';
import { startTrio } from './trio.ts';

const postgres = await postgresOfThisRun();
/** To be told to `npm run chaos -- --seed`, which also does all of this for longer. */
const SEED = 6;
const QUIET = (): void => undefined;
/** For a machine that has much else to do; alone it takes a minute. */
const LIMIT_MS = 900_000;

/** At which something is durable, or about to be, that others have been told of or will act on. */
const CRASH_POINTS = [
  ...['committed insertBlast', 'inside claimCalls', 'committed claimCalls'],
  ...['inside recordAnswered', 'committed recordOutcome', 'committed spendGrant'],
];

const withSite = async (databaseUrl: string | null, use: (site: Site) => Promise<void>) => {
  const directory = await mkdtemp(join(tmpdir(), 'ringcast-chaos-'));
  const site = await openSite({ directory, databaseUrl, seed: SEED });
  try {
    await use(site);
  } finally {
    await site.close();
    await rm(directory, { recursive: true });
  }
};

/** When the disasters are over: two more blasts, of which at most one is cancelled, so that some of everything is seen. */
const settle = async (site: Site, load: ReturnType<typeof startLoad>): Promise<Evidence> => {
  await load.stop();
  await Promise.all([site.clients.blast(), site.clients.blast()]);
  return site.settle();
};

const expectNothingLost = (evidence: Evidence): void => {
  expect(violationsOf(evidence)).toEqual([]);
  const outcomes = new Set(evidence.record.attempts.map(({ outcome }) => outcome));
  expect([...outcomes]).toEqual(expect.arrayContaining(['completed', 'hung_up', 'busy', 'no_answer', 'interrupted']));
  expect(evidence.uploads.filter(({ created }) => created === 1).length).toBeGreaterThan(0);
};

describe.concurrent(`under load, seed ${SEED}`, () => {
  it('SQLite: nothing is lost and nobody called twice, whenever the node is killed', { timeout: LIMIT_MS }, () =>
    withSite(null, async (site) => {
      const load = startLoad(site.clients, 5);
      await killAtRandom(site, [0], 10, QUIET);
      await dieAtEachPoint(site, [0], CRASH_POINTS, QUIET);
      await site.start(0);
      expectNothingLost(await settle(site, load));
    }),
  );

  it.skipIf(postgres === null)(
    'PostgreSQL: nor when of three nodes one is killed, one stopped and one cut off from the database',
    { timeout: LIMIT_MS },
    async () => {
      const { url, drop } = await createDatabase(postgres ?? '');
      await withSite(url, async (site) => {
        const trio = await startTrio(site, url, QUIET);
        try {
          const load = startLoad(site.clients, 10);
          await trio.blink();
          await Promise.all([trio.kill(), trio.pause(0), trio.cutOff()]);
          expectNothingLost(await settle(site, load));
        } finally {
          await trio.close();
        }
      });
      await drop();
    },
  );
});
