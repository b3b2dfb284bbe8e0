import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { applicationClient } from '../../test/support/application-client.ts';
import { openEventStream } from '../../test/support/event-stream.ts';
import { type HttpFixture, KEY, OPERATOR_TOKEN, OTHER_KEY, startHttp } from '../../test/support/http-fixture.ts';
import { blast } from '../../test/support/store-fixture.ts';

describe('GET /api/v1/events', () => {
  let server: HttpFixture;
  beforeEach(async () => {
    server = await startHttp();
    await server.publish();
  });
  afterEach(() => server.close());
  const client = applicationClient(() => server);

  const open = async (options: { query?: string; lastEventId?: string; key?: string } = {}) => {
    const stream = await openEventStream(`${server.publicUrl}/api/v1/events${options.query ?? ''}`, {
      authorization: `Bearer ${options.key ?? KEY}`,
      ...(options.lastEventId === undefined ? {} : { 'last-event-id': options.lastEventId }),
    });
    onTestFinished(() => stream.close());
    return stream;
  };
  /** Open, and past the place where it looks for what is new. */
  const opened = async (options: Parameters<typeof open>[0] = {}) => {
    const stream = await open(options);
    expect(await stream.nextBlock()).toBe('retry: 2000');
    return stream;
  };
  const accept = async (id: string, applicationId = '1') => {
    await server.store.transact((tx) => tx.insertBlast(blast({ id, applicationId, networkId: applicationId })));
    await server.publish();
  };

  it("tells an application of its own events as they happen, and of nobody else's", async () => {
    const [stream, other] = [await opened(), await opened({ key: OTHER_KEY })];
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(stream.response.headers.get('cache-control')).toBe('no-store');
    await accept('one');
    await accept('two', '2');
    const event = await stream.next();
    expect(event).toMatchObject({ event: 'blast.accepted', data: { type: 'blast.accepted', blastId: 'one' } });
    expect(event?.data.id).toBe(event?.id);
    expect(event?.data.at).toMatch(/^\d{4}-.*Z$/);
    expect(Object.keys(event?.data)).toEqual(['id', 'type', 'at', 'blastId']);
    expect((await other.next())?.data.blastId).toBe('two');
  });

  it('tells the operator of the events of all applications', async () => {
    const url = `${server.operatorUrl}/operator/v1/events`;
    expect((await fetch(url)).status).toBe(401);
    const stream = await openEventStream(url, { authorization: `Bearer ${OPERATOR_TOKEN}` });
    onTestFinished(() => stream.close());
    expect(await stream.nextBlock()).toBe('retry: 2000');
    await accept('one');
    await accept('two', '2');
    expect((await stream.take(2)).map(({ data }) => data.blastId)).toEqual(['one', 'two']);
  });

  it('goes on after Last-Event-ID, which counts more than after', async () => {
    for (const id of ['one', 'two', 'three']) await accept(id);
    const first = await open({ query: '?after=0' });
    let seen = await first.next();
    while (seen?.data.blastId !== 'one') seen = await first.next();
    first.close();
    const resumed = await open({ query: '?after=0', lastEventId: seen?.id ?? '' });
    expect((await resumed.take(2)).map(({ data }) => data.blastId)).toEqual(['two', 'three']);
  });

  it('gives more than a page of what was missed', async () => {
    const ids = Array.from({ length: 250 }, (_, number) => `b${number}`);
    const before = (await server.store.view((views) => views.readEventRange())).lastId;
    await Promise.all(
      ids.map((id) => server.store.transact((tx) => tx.insertBlast(blast({ id, applicationId: '1', networkId: '1' })))),
    );
    await server.publish();
    const events = await (await open({ lastEventId: before })).take(250);
    expect(events.map(({ data }) => data.blastId).sort()).toEqual([...ids].sort());
    expect(events.map(({ id }) => Number(id))).toEqual(events.map((_, index) => Number(before) + 1 + index));
  });

  it('tells with a reset that events between are gone, and starts with the oldest', async () => {
    await accept('one');
    server.sql('update event_log set swept = 2');
    for (const lastEventId of ['1', '99999']) {
      const stream = await open({ lastEventId });
      expect(await stream.next()).toMatchObject({ id: null, event: 'reset', data: { type: 'reset', keptAfter: '2' } });
      expect(await stream.next()).toMatchObject({ event: 'media.ready' });
    }
  });

  it('refuses what is no id, and whoever has no key', async () => {
    for (const query of ['?after=x', '?after=-1', '?after=1e3'])
      await client.expectProblem((await open({ query })).response, 400, 'after');
    expect((await open({ key: 'unknown-key-of-nobody' })).response.status).toBe(401);
  });

  it('ends when its key is revoked', async () => {
    const stream = await opened();
    const [row] = server.sql("select id from app_keys where application_id = '1'") as { id: string }[];
    await server.store.transact((tx) => tx.revokeAppKey('1', row?.id ?? ''));
    await server.publish();
    expect(await stream.next()).toBeNull();
  });

  it('sends a comment when nothing happens', async () => {
    const stream = await opened();
    expect(await stream.nextBlock()).toBe(': that is all until now');
    while (server.wakeUps.size === 0) await new Promise(setImmediate);
    for (const { delayMs, wake } of server.wakeUps) {
      expect(delayMs).toBe(5000);
      wake();
    }
    expect(await stream.nextBlock()).toBe(': ');
  });

  it('is open twenty times at most, and again when one is closed', async () => {
    const streams = await Promise.all(Array.from({ length: 20 }, () => opened()));
    await client.expectProblem((await open()).response, 409);
    expect((await open({ key: OTHER_KEY })).response.status).toBe(200);
    streams[0]?.close();
    for (;;) {
      const again = await open();
      if (again.response.status === 200) break;
    }
  });

  it('ends when the listener closes', async () => {
    const stream = await opened();
    const ended = stream.next();
    await Promise.all([server.closePublic(), ended]);
    expect(await ended).toBeNull();
  });
});
