import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPhone, type Phone } from '../../src/phone/phone.ts';
import { type Line, openLine } from '../support/line.ts';
import { createDatabase, postgresOfThisRun } from '../support/postgres-of-this-run.ts';
import { startRingcast, type TestServer } from '../support/ringcast.ts';
import { blastIdOf, blastUntil, makeScenario, toneWav, uploadMedia } from '../support/scenario.ts';

const postgres = await postgresOfThisRun();

describe.skipIf(postgres === null)('two nodes on one PostgreSQL database', () => {
  let directory: string;
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let line: Line;
  let callee: Phone;
  const servers: TestServer[] = [];
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ringcast-nodes-'));
    database = await createDatabase(postgres ?? '');
    line = await openLine(Number(new URL(database.url).port));
    callee = await openPhone({
      listen: { address: '127.0.0.1', port: 0 },
      recordDirectory: directory,
      answerAfterMs: 0,
      behaviour: 'answer',
      onEvent: () => undefined,
    });
  });
  afterEach(async () => {
    line.mend();
    for (const server of servers.splice(0)) await server.close();
    await callee.close();
    await line.close();
    await database.drop();
    await rm(directory, { recursive: true });
  });

  /** A node over the line; each after the first has the secret of the first. */
  const node = async (): Promise<TestServer> => {
    const url = new URL(database.url);
    url.port = String(line.port);
    const dataDirectory = await mkdtemp(join(directory, 'node-'));
    if (servers[0]) await copyFile(join(servers[0].dataDirectory, 'secret'), join(dataDirectory, 'secret'));
    const server = await startRingcast({ RINGCAST_DATABASE_URL: url.href }, dataDirectory);
    servers.push(server);
    return server;
  };

  it('share what was set up and uploaded: what one accepts, both can tell of', async () => {
    const [first, second] = [await node(), await node()];
    const { appKey, networkId } = await makeScenario(first.api, [callee.uri]);
    const mediaId = await uploadMedia(first.api, appKey, toneWav(440, 10));
    const answer = await second.api.blast(mediaId, { networkid: networkId, appkey: appKey });
    expect(answer.status).toBe(202);
    for (const { api } of [first, second]) {
      const blast = await blastUntil(api, appKey, blastIdOf(answer), ({ state }) => state === 'finished');
      expect(blast.calls[0]).toMatchObject({ outcome: 'completed', attempts: [{ codec: 'PCMU' }] });
    }
  });

  it('answer 502 and 503 while the database is away, and go on when it is back', async () => {
    const server = await node();
    const { appKey, networkId } = await makeScenario(server.api, [callee.uri]);
    const mediaId = await uploadMedia(server.api, appKey, toneWav(440, 10));
    line.cut();
    const refused = await server.api.blast(mediaId, { networkid: networkId, appkey: appKey });
    expect([refused.status, (await server.api.operator('GET', '/networks')).status]).toEqual([502, 503]);
    line.mend();
    let answer = await server.api.blast(mediaId, { networkid: networkId, appkey: appKey });
    while (answer.status !== 202) answer = await server.api.blast(mediaId, { networkid: networkId, appkey: appKey });
    await blastUntil(server.api, appKey, blastIdOf(answer), ({ state }) => state === 'finished');
  });
});
