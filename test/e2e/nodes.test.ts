import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLAIM_MS } from '../../src/domain/webhook.ts';
import { createDatabase, postgresOfThisRun } from '../support/postgres-of-this-run.ts';
import { type Json, makeDirectory } from '../support/ringcast.ts';
import { blastIdOf, blastUntil, makeScenario, must, toneWav, uploadMedia } from '../support/scenario.ts';
import { sampleValue } from '../support/scrape.ts';
import { type ServerProcess, spawnRingcast } from '../support/server-process.ts';
import { openTestPhone } from '../support/test-phone.ts';
import { openReceiver, verified } from '../support/webhook-receiver.ts';

const postgres = await postgresOfThisRun();
const TOKEN = 'the-token-of-these-nodes';

describe.skipIf(postgres === null)('two processes on one PostgreSQL database', () => {
  let directory: string;
  let database: Awaited<ReturnType<typeof createDatabase>>;
  const started: ServerProcess[] = [];
  let first: ServerProcess;
  let second: ServerProcess;
  beforeAll(async () => {
    directory = await makeDirectory();
    database = await createDatabase(postgres ?? '');
    first = await startNode();
    second = await startNode();
  }, 60_000);
  afterAll(async () => {
    await Promise.all(started.map((node) => node.kill()));
    await database.drop();
    await rm(directory, { recursive: true, force: true });
  });

  /** Each after the first has the secret of the first. */
  const startNode = async (): Promise<ServerProcess> => {
    const folders = [started.length, 0].map((nth) => join(directory, `node-${nth}`));
    const [own = '', ofFirst = ''] = folders;
    await mkdir(own);
    if (own !== ofFirst) await copyFile(join(ofFirst, 'secret'), join(own, 'secret'));
    const node = await spawnRingcast(own, {
      RINGCAST_DATABASE_URL: database.url,
      RINGCAST_OPERATOR_TOKEN: TOKEN,
      RINGCAST_WEBHOOK_ALLOW: '127.0.0.0/8',
    });
    started.push(node);
    return node;
  };

  const scenarioOf = async (destinations: readonly string[], frames: number, application = {}) => {
    const scenario = await makeScenario(first.api, destinations, application);
    const mediaId = await uploadMedia(first.api, scenario.appKey, toneWav(440, frames));
    const fields = { networkid: scenario.networkId, appkey: scenario.appKey, greetingid: mediaId };
    const until = (node: ServerProcess, blastId: string, isThere: (blast: Json) => boolean) =>
      blastUntil(node.api, scenario.appKey, blastId, isThere);
    return { ...scenario, post: (node: ServerProcess) => node.api.blast(mediaId, fields), until };
  };

  const callsOf = async ({ operatorUrl }: ServerProcess): Promise<number | undefined> => {
    const answer = await fetch(`${operatorUrl}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
    return sampleValue(await answer.text(), 'ringcast_calls_in_progress', { trunk: 'direct' });
  };

  it('a blast that is cancelled on the one ends the call that the other has in progress', async () => {
    const { phone, until: heard } = await openTestPhone();
    const { appKey, post, until } = await scenarioOf([phone.uri], 1500);
    const blastId = blastIdOf(await post(first));
    await until(first, blastId, ({ calls }) => calls[0].state === 'playing');
    const other = (await callsOf(first)) === 1 ? second : first;
    expect(await callsOf(other)).not.toBe(1);
    must(200, await other.api.application('POST', `/blasts/${blastId}/cancel`, appKey));
    await heard('ended');
    const { calls } = await until(other, blastId, ({ calls: [call] }) => call.state === 'finished');
    // Of half a minute it heard a little.
    const [{ framesSent, framesTotal }] = calls[0].attempts[0].clips;
    expect([calls[0].outcome, framesTotal, framesSent < framesTotal]).toEqual(['cancelled', 1500, true]);
  }, 60_000);

  it('SIGTERM: it is ready no more and takes nothing, its call ends by itself, the other goes on with those that wait', async () => {
    const { phone } = await openTestPhone();
    const destinations = ['a', 'b'].map((user) => `sip:${user}@127.0.0.1:${phone.port}`);
    const { post, until } = await scenarioOf(destinations, 125, { maxConcurrentCalls: 1 });
    const blastId = blastIdOf(await post(first));
    await until(first, blastId, ({ calls }) => calls.some(({ state }: Json) => state === 'playing'));
    const [ending, staying] = (await callsOf(first)) === 1 ? [first, second] : [second, first];
    const ended = ending.terminate();
    while ((await fetch(`${ending.publicUrl}/health/ready`)).status !== 503);
    expect((await post(ending)).status).toBe(502);
    expect((await fetch(`${staying.publicUrl}/health/ready`)).status).toBe(200);
    expect(await ended).toBe(0);
    const { calls } = await until(staying, blastId, ({ state }) => state === 'finished');
    for (const call of calls) expect(call).toMatchObject({ outcome: 'completed', attempts: [{ number: 1 }] });
    [first, second] = [staying, await startNode()];
  }, 60_000);

  /** What the node that is no more had claimed is due, as it would be 20 s later. */
  const endClaims = async (): Promise<void> => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(`update webhook_deliveries set next_at = next_at - ${CLAIM_MS}`);
    await client.end();
  };

  it('webhooks of a node that is killed while it delivers are delivered by the other, in the order of each call', async () => {
    const { phone } = await openTestPhone();
    const { appKey, post, until } = await scenarioOf([phone.uri], 5);
    let isDead = false;
    const tries = new Map<string, number>();
    const receiver = await openReceiver(({ id }) => {
      tries.set(id, (tries.get(id) ?? 0) + 1);
      if (!isDead) return 'never';
      return tries.get(id) === 1 ? 500 : 204;
    });
    const webhook = must(201, await first.api.application('POST', '/webhooks', appKey, { url: receiver.url }));
    process.kill(second.id, 'SIGSTOP');
    const blastId = blastIdOf(await post(first));
    await until(first, blastId, ({ state }) => state === 'finished');
    await receiver.until((received) => received.some(({ event }) => event.blastId === blastId));
    const hung = receiver.received.map(({ id }) => id);
    await first.kill();
    await endClaims();
    isDead = true;
    process.kill(second.id, 'SIGCONT');
    const later = () => receiver.received.slice(hung.length);
    const isDelivered = (type: string) =>
      later().some(({ event, id }) => event.blastId === blastId && event.type === type && tries.get(id) === 2);
    const areDelivered = () => hung.every((id) => later().some((request) => request.id === id));
    await receiver.until(() => isDelivered('blast.finished') && isDelivered('call.finished') && areDelivered());
    const ofCall = later().filter(({ event }) => event.callId !== undefined);
    expect([...new Set(ofCall.map(({ event }) => event.type))]).toEqual([
      'call.ringing',
      'call.answered',
      'call.finished',
    ]);
    for (const request of later())
      expect(verified(request, webhook.secret)).toMatchObject({ type: request.event.type });
    await receiver.close();
  }, 120_000);
});
