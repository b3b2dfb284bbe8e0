import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applicationClient } from '../../test/support/application-client.ts';
import { type HttpFixture, KEY, OTHER_KEY, startHttp } from '../../test/support/http-fixture.ts';
import { NO_RTP } from '../domain/call.ts';

/** Of each test: what one leaves waiting is dialled half a second later, before what the next one accepts. */
let http: HttpFixture;
beforeEach(async () => {
  http = await startHttp();
});
afterEach(() => http.close());

const { call, json, get, expectProblem } = applicationClient(() => http);

const blast = async (): Promise<string> => {
  const response = await fetch(`${http.publicUrl}/api/rest/media/101-102`, {
    method: 'POST',
    body: new URLSearchParams({ action: 'blast', appkey: KEY, networkid: '1' }),
  });
  return response.headers.get('location') ?? '';
};

const DIALOG = { sipCallId: 'call@test', fromTag: 'tag', branch: 'z9hG4bKtest' };

const COMPLETED = {
  outcome: 'completed',
  sipStatus: 200,
  sipReason: 'OK',
  codec: 'PCMU',
  framesSent: [7, 1, 2],
  rtp: { ...NO_RTP, packetsSent: 10, packetsLost: 0, jitterMs: 0.5 },
  digits: [],
  hungUpAt: null,
} as const;

/** Claims the calls that wait, as the dialer does. */
const claim = () =>
  http.store.transact((tx) =>
    tx.claimCalls({
      limit: 100,
      server: { maxConcurrentCalls: null, callsPerSecond: null },
      trunks: new Map(),
      heldTrunkIds: [],
      destinationSpacingMs: 0,
      plan: () => ({ names: DIALOG, trunkId: null }),
    }),
  );

/** No call of a test before holds up those of the next: a phone gets one call at a time. */
afterEach(async () => {
  const { items } = await http.store.view((views) => views.listCalls({ limit: 100, cursor: null }));
  const open = items.flatMap(({ attempts }) => attempts).filter(({ endedAt }) => endedAt === null);
  for (const { id } of open) await http.store.transact((tx) => tx.recordOutcome(id, COMPLETED));
});

describe('C networks', () => {
  it('C lists those associated with the application', async () => {
    const { items, next } = await get('/api/v1/networks');
    expect(items).toEqual([{ id: '1', name: '', destinationCount: 2, createdAt: expect.stringMatching(/Z$/) }]);
    expect(next).toBeNull();
  });
});

describe('C blasts', () => {
  it('C a blast reads as the interface shows it, live while a call is in progress', async () => {
    const path = await blast();
    const waiting = await get(path);
    expect(waiting).toEqual({
      id: path.split('/').pop(),
      applicationId: '1',
      networkId: '1',
      mediaIds: ['101', '102'],
      greetingId: null,
      acceptedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      state: 'active',
      calls: ['sip:a@127.0.0.1:5070', 'sip:b@127.0.0.1:5071'].map((destination) => ({
        id: expect.any(String),
        destination,
        state: 'waiting',
        outcome: null,
        attempts: [],
      })),
    });
    const [claimed] = await claim();
    await http.store.transact((tx) => tx.recordAnswered(claimed?.attemptId ?? '', 'PCMU', null));
    http.switches.framesSent.set(claimed?.attemptId ?? '', [7, 1, 0]);
    const playing = await get(path);
    const live = playing.calls.find((each: { id: string }) => each.id === claimed?.callId);
    expect(live).toMatchObject({ state: 'playing', outcome: null });
    expect(live.attempts).toEqual([
      {
        number: 1,
        trunkId: null,
        sipCallId: 'call@test',
        dialledAt: expect.stringMatching(/Z$/),
        ringingAt: null,
        answeredAt: expect.stringMatching(/Z$/),
        endedAt: null,
        sipStatus: null,
        sipReason: null,
        codec: 'PCMU',
        clips: [
          { mediaId: null, framesSent: 7, framesTotal: 7 },
          { mediaId: '101', framesSent: 1, framesTotal: 1 },
          { mediaId: '102', framesSent: 0, framesTotal: 2 },
        ],
        digits: [],
        hungUpAt: null,
        rtp: NO_RTP,
      },
    ]);
  });

  it('C the list holds those of the application, newest first', async () => {
    const older = await blast();
    const newer = await blast();
    const { items } = await get('/api/v1/blasts?limit=2');
    expect(items.map(({ id }: { id: string }) => `/api/v1/blasts/${id}`)).toEqual([newer, older]);
    expect((await get('/api/v1/blasts', OTHER_KEY)).items).toEqual([]);
  });

  it('C 404 for unknown and foreign blasts', async () => {
    const path = await blast();
    await expectProblem(await call('GET', '/api/v1/blasts/1'), 404);
    await expectProblem(await call('GET', path, { key: OTHER_KEY }), 404);
    await expectProblem(await call('POST', `${path}/cancel`, { key: OTHER_KEY }), 404);
    await expectProblem(await call('POST', '/api/v1/blasts/1/cancel'), 404);
  });

  it('C cancel ends what waits, hangs up what is in progress, and may be repeated', async () => {
    await claim();
    const path = await blast();
    const waiting = await call('POST', `${path}/cancel`);
    expect(waiting.status).toBe(200);
    expect(await json(waiting)).toMatchObject({
      state: 'cancelled',
      calls: [
        { state: 'finished', outcome: 'cancelled' },
        { state: 'finished', outcome: 'cancelled' },
      ],
    });
    expect((await call('POST', `${path}/cancel`)).status).toBe(200);

    const dialled = await blast();
    const attemptIds = (await claim()).map(({ attemptId }) => attemptId);
    expect((await call('POST', `${dialled}/cancel`)).status).toBe(200);
    expect(http.counters.cancelled.sort()).toEqual(attemptIds.sort());
  });

  it('C cancel is 409 once the blast has finished', async () => {
    const path = await blast();
    for (const { attemptId } of await claim()) {
      await http.store.transact((tx) => tx.recordOutcome(attemptId, COMPLETED));
    }
    expect(await get(path)).toMatchObject({ state: 'finished', calls: [{ outcome: 'completed' }, {}] });
    await expectProblem(await call('POST', `${path}/cancel`), 409);
  });
});

describe('C health and description', () => {
  it('C /health/live and /health/ready', async () => {
    expect((await fetch(`${http.publicUrl}/health/live`)).status).toBe(200);
    expect((await fetch(`${http.publicUrl}/health/ready`)).status).toBe(200);
    http.switches.ready = false;
    expect((await fetch(`${http.publicUrl}/health/ready`)).status).toBe(503);
    expect((await fetch(`${http.publicUrl}/health/live`)).status).toBe(200);
  });

  it('C /openapi.json describes every route of this listener', async () => {
    const description = await json(await fetch(`${http.publicUrl}/openapi.json`));
    expect(description.openapi).toBe('3.1.0');
    const operations = Object.entries<object>(description.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(operations.sort()).toEqual([
      'delete /api/rest/media/{mediaid}/{token}/{upload}',
      'delete /api/v1/webhooks/{webhookId}',
      'get /api/v1/blasts',
      'get /api/v1/blasts/{id}',
      'get /api/v1/events',
      'get /api/v1/grants',
      'get /api/v1/grants/{id}',
      'get /api/v1/media',
      'get /api/v1/media/{id}',
      'get /api/v1/media/{id}/audio',
      'get /api/v1/media/{id}/clips',
      'get /api/v1/media/{id}/peaks',
      'get /api/v1/networks',
      'get /api/v1/webhooks',
      'get /api/v1/webhooks/{webhookId}',
      'get /health/live',
      'get /health/ready',
      'head /api/rest/media/{mediaid}/{token}/{upload}',
      'patch /api/rest/media/{mediaid}/{token}/{upload}',
      'post /api/rest/media/{mediaid}',
      'post /api/rest/media/{mediaid}/{token}',
      'post /api/rest/media/{mediaid}/{token}/{upload}',
      'post /api/v1/blasts/{id}/cancel',
      'post /api/v1/grants/{id}/revoke',
      'post /api/v1/media',
      'post /api/v1/webhooks',
      'post /api/v1/webhooks/{webhookId}/replay',
      'post /api/v1/webhooks/{webhookId}/rotate',
      'put /api/rest/media/{mediaid}/{token}',
      'put /api/v1/webhooks/{webhookId}',
    ]);
  });
});
