import { rm } from 'node:fs/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { openPhone } from '../../src/phone/phone.ts';
import { openEventStream } from '../support/event-stream.ts';
import { type Api, type Json, makeDirectory, startRingcast } from '../support/ringcast.ts';
import { blastIdOf, blastUntil, makeScenario, must, type Scenario, toneWav, uploadMedia } from '../support/scenario.ts';
import { sampleValue } from '../support/scrape.ts';
import { spawnRingcast } from '../support/server-process.ts';
import { openReceiver, type Received, verified } from '../support/webhook-receiver.ts';

const ALLOWED = { RINGCAST_WEBHOOK_ALLOW: '127.0.0.0/8' };
const OF_CALL = ['call.ringing', 'call.answered', 'call.finished'];

/** Tests that run beside each other have no end of their own to hook into. */
const closers: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

const openPhoneHere = async () => {
  const phone = await openPhone({
    listen: { address: '127.0.0.1', port: 0 },
    recordDirectory: null,
    answerAfterMs: 0,
    behaviour: 'answer',
    onEvent: () => undefined,
  });
  closers.push(() => phone.close());
  return phone;
};

const serverHere = async (environment: Record<string, string> = ALLOWED) => {
  const server = await startRingcast(environment);
  closers.push(() => server.close());
  return server;
};

const receiverHere = async (...options: Parameters<typeof openReceiver>) => {
  const receiver = await openReceiver(...options);
  closers.push(() => receiver.close());
  return receiver;
};

const addWebhook = async (api: Api, { appKey }: Scenario, url: string, types: readonly string[] | null = null) =>
  must(201, await api.application('POST', '/webhooks', appKey, { url, types }));

const prepared = async (api: Api, destinations: readonly string[]) => {
  const scenario = await makeScenario(api, destinations);
  return { ...scenario, mediaId: await uploadMedia(api, scenario.appKey, toneWav(440, 5)) };
};

const blastOf = async (api: Api, { appKey, networkId, mediaId }: Awaited<ReturnType<typeof prepared>>) =>
  blastIdOf(await api.blast(mediaId, { networkid: networkId, appkey: appKey }));

/** Types in the order of their first request, of each call. */
const orderOfCalls = (received: readonly Received[]): Map<string, string[]> => {
  const calls = new Map<string, string[]>();
  for (const { event } of received) {
    if (event.callId === undefined) continue;
    const types = calls.get(event.callId) ?? [];
    if (!types.includes(event.type)) calls.set(event.callId, [...types, event.type]);
  }
  return calls;
};

describe.concurrent('events of a server that calls', () => {
  it('reach a receiver that fails, hangs and redirects: every one, in order, signed', async () => {
    const phone = await openPhoneHere();
    const server = await serverHere();
    const elsewhere = await receiverHere();
    const scenario = await prepared(server.api, [phone.uri, phone.uri, phone.uri]);
    const tries = new Map<string, number>();
    let hung = false;
    const receiver = await receiverHere(({ id, event }) => {
      const nth = (tries.get(id) ?? 0) + 1;
      tries.set(id, nth);
      if (nth === 2 && event.type === 'call.finished') return 503;
      if (nth > 1) return 200;
      if (event.type === 'call.ringing') return 500;
      if (event.type === 'call.answered') return { status: 308, headers: { location: elsewhere.url } };
      if (event.type !== 'blast.finished' || hung) return 204;
      hung = true;
      return 'never';
    });
    const { secret } = await addWebhook(server.api, scenario, receiver.url);
    const blastId = await blastOf(server.api, scenario);
    const ofBlast = () => receiver.received.filter(({ event }) => event.blastId === blastId);
    await receiver.until(
      () => new Set(ofBlast().map(({ id }) => id)).size === 11 && tries.get(lastOf(ofBlast())) === 2,
    );
    expect([...orderOfCalls(ofBlast()).values()]).toEqual([OF_CALL, OF_CALL, OF_CALL]);
    for (const request of ofBlast()) expect(verified(request, secret)).toMatchObject({ type: request.event.type });
    for (const request of ofBlast()) expect(request.id).toBe(`evt_${request.event.id}`);
    expect(elsewhere.received).toEqual([]);
  }, 60_000);

  it('are signed by both secrets after a rotation, and come again under their ids by a replay', async () => {
    const phone = await openPhoneHere();
    const server = await serverHere();
    const scenario = await prepared(server.api, [phone.uri]);
    const receiver = await receiverHere();
    const { id, secret } = await addWebhook(server.api, scenario, receiver.url, ['blast.accepted']);
    await blastOf(server.api, scenario);
    await receiver.until((received) => received.length === 1);
    const rotated = must(200, await server.api.application('POST', `/webhooks/${id}/rotate`, scenario.appKey));
    await blastOf(server.api, scenario);
    await receiver.until((received) => received.length === 2);
    const [before, after] = receiver.received as [Received, Received];
    expect(verified(before, secret)).toBeDefined();
    expect(() => verified(before, rotated.secret)).toThrow();
    for (const valid of [secret, rotated.secret]) expect(verified(after, valid)).toBeDefined();
    const since = { since: after.event.at };
    const replayed = must(200, await server.api.application('POST', `/webhooks/${id}/replay`, scenario.appKey, since));
    expect(replayed).toEqual({ queued: 1, next: null });
    await receiver.until((received) => received.length === 3);
    expect(receiver.received[2]).toMatchObject({ id: after.id, body: after.body });
  }, 30_000);

  it('go nowhere if the receiver resolves to loopback', async () => {
    const phone = await openPhoneHere();
    const server = await serverHere({});
    const scenario = await prepared(server.api, [phone.uri]);
    const receiver = await receiverHere();
    const url = `http://localhost:${receiver.port}/`;
    const webhook = await addWebhook(server.api, scenario, url, ['blast.accepted']);
    await blastOf(server.api, scenario);
    for (;;) {
      const read = must(200, await server.api.application('GET', `/webhooks/${webhook.id}`, scenario.appKey));
      if (read.failingSince !== null) break;
    }
    expect(receiver.received).toEqual([]);
    const metrics = await fetch(`${server.operatorUrl}/metrics`, {
      headers: { authorization: `Bearer ${server.operatorToken}` },
    });
    const text = await metrics.text();
    expect(sampleValue(text, 'ringcast_webhook_deliveries_total', { result: 'refused' })).toBeGreaterThan(0);
    expect(sampleValue(text, 'ringcast_oldest_undelivered_event_age_seconds')).toBeGreaterThan(0);
  }, 30_000);

  it('are delivered after a kill -9 between the fact and its delivery, and again under the same id', async () => {
    const phone = await openPhoneHere();
    const dataDirectory = await makeDirectory();
    closers.push(() => rm(dataDirectory, { recursive: true, force: true }));
    const killed = await spawnRingcast(dataDirectory, ALLOWED);
    closers.push(() => killed.kill());
    const scenario = await prepared(killed.api, [phone.uri]);
    let isDead = false;
    const receiver = await receiverHere(() => (isDead ? 204 : 'never'));
    const { secret } = await addWebhook(killed.api, scenario, receiver.url, ['blast.accepted', ...OF_CALL]);
    const blastId = await blastOf(killed.api, scenario);
    await receiver.until((received) => received.length > 0);
    await killed.kill();
    isDead = true;
    const cut = receiver.received.map(({ id }) => id);
    const server = await spawnRingcast(dataDirectory, ALLOWED);
    closers.push(() => server.terminate());
    await blastUntil(server.api, scenario.appKey, blastId, ({ state }) => state === 'finished');
    const later = () => receiver.received.slice(cut.length);
    await receiver.until(() => cut.every((id) => later().some((request) => request.id === id)));
    await receiver.until(() => later().some(({ event }) => event.type === 'call.finished'));
    for (const request of receiver.received) expect(verified(request, secret)).toBeDefined();
    const told = new Set(later().map(({ event }) => event.type));
    expect(told).toContain('blast.accepted');
  }, 90_000);

  it('are streamed to an application that has no public address, and from where it left off', async () => {
    const phone = await openPhoneHere();
    const server = await serverHere();
    const scenario = await prepared(server.api, [phone.uri]);
    const url = `${server.publicUrl}/api/v1/events`;
    const authorization = `Bearer ${scenario.appKey}`;
    const stream = await openEventStream(url, { authorization });
    await stream.nextBlock();
    const blastId = await blastOf(server.api, scenario);
    // What was uploaded just before may be told only now.
    const isOfBlast = ({ data }: Json): boolean => data.blastId === blastId;
    const [accepted, ringing] = await stream.take(2, isOfBlast);
    stream.close();
    expect([accepted?.event, ringing?.event]).toEqual(['blast.accepted', 'call.ringing']);
    const resumed = await openEventStream(url, { authorization, 'last-event-id': ringing?.id ?? '' });
    const rest = await resumed.take(3);
    expect(rest.map(({ event }) => event)).toEqual(['call.answered', 'call.finished', 'blast.finished']);
    expect(rest.map(({ data }: Json) => [data.blastId, data.outcome, data.state])).toEqual([
      [blastId, undefined, undefined],
      [blastId, 'completed', undefined],
      [blastId, undefined, 'finished'],
    ]);
    const ended = resumed.next();
    await server.stop(0);
    expect(await ended).toBeNull();
  }, 30_000);
});

const lastOf = (received: readonly Received[]): string =>
  received.find(({ event }) => event.type === 'blast.finished')?.id ?? '';
