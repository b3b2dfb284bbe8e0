import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it } from 'vitest';
import { describeNeeding } from '../support/describe-needing.ts';
import { FAKETIME, fakedTime, LACK_OF_FAKETIME, setClockBy } from '../support/faked-time.ts';
import { postgresOfThisRun } from '../support/postgres-of-this-run.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { type Json, makeDirectory } from '../support/ringcast.ts';
import { blastIdOf, blastUntil, makeScenario, toneWav, uploadMedia } from '../support/scenario.ts';
import { type ServerProcess, spawnRingcast } from '../support/server-process.ts';
import { openTestPhone } from '../support/test-phone.ts';

/** Of the database's clock, one while each of the first calls plays. */
const OFFSETS_S = [3600, 0];

const canRun = (await postgresOfThisRun()) !== null;

describeNeeding('libfaketime', LACK_OF_FAKETIME, () => {
  it.skipIf(!canRun)(
    'the clock of PostgreSQL, set by an hour, moves nothing for its nodes',
    async () => {
      const directory = await makeDirectory();
      const file = `${directory}.time`;
      setClockBy(file, 0);
      const postgres = await startPostgres(['fsync=off'], fakedTime(FAKETIME ?? '', file));
      const client = new pg.Client({ connectionString: postgres.url });
      await client.connect();
      const nodes: ServerProcess[] = [];
      try {
        const [first, second] = [
          await startNode(directory, postgres.url, nodes),
          await startNode(directory, postgres.url, nodes),
        ];
        const standing = async () =>
          (await client.query("select id from nodes where taken_over_at is null and id <> '' order by id")).rows;
        const before = await standing();
        const { phone, events, until: heard } = await openTestPhone();
        const destinations = ['a', 'b', 'c'].map((user) => `sip:${user}@127.0.0.1:${phone.port}`);
        const { appKey, networkId } = await makeScenario(first.api, destinations);
        const mediaId = await uploadMedia(first.api, appKey, toneWav(440, 15));
        const fields = { networkid: networkId, appkey: appKey, greetingid: mediaId };
        const blastId = blastIdOf(await second.api.blast(mediaId, fields));
        for (const [at, offsetS] of OFFSETS_S.entries()) {
          await heard('answered', at + 1);
          setClockBy(file, offsetS);
          await untilTakenOut(client, offsetS);
        }
        const { calls } = await blastUntil(first.api, appKey, blastId, ({ state }) => state === 'finished');
        expect(calls.map(({ outcome, attempts }: Json) => [outcome, attempts.length])).toEqual(
          destinations.map(() => ['completed', 1]),
        );
        expect(events.filter(({ type }) => type === 'answered')).toHaveLength(destinations.length);
        expect([before.length, await standing()]).toEqual([2, before]);
      } finally {
        for (const node of nodes) await node.kill();
        await client.end();
        await postgres.stop();
        await rm(directory, { recursive: true, force: true });
        await rm(file, { force: true });
      }
    },
    60_000,
  );
});

/** One call at a time, so that others wait, with an hour to be dialled: a jump would let every one expire. */
const startNode = async (directory: string, url: string, started: ServerProcess[]): Promise<ServerProcess> => {
  const [own, ofFirst] = [join(directory, `node-${started.length}`), join(directory, 'node-0')];
  await mkdir(own);
  if (own !== ofFirst) await copyFile(join(ofFirst, 'secret'), join(own, 'secret'));
  const node = await spawnRingcast(own, {
    RINGCAST_DATABASE_URL: url,
    RINGCAST_MAX_CONCURRENT_CALLS: '1',
  });
  started.push(node);
  return node;
};

/** Until the nodes have noticed by what the clock was set: the rest that is left goes back in days. */
const untilTakenOut = async (client: pg.Client, offsetS: number): Promise<void> => {
  for (;;) {
    const { rows } = await client.query('select ahead_ms from clock');
    if (Math.abs(Number(rows[0].ahead_ms) - 1000 * offsetS) < 60_000) return;
  }
};
