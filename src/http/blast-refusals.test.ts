import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type HttpFixture, KEY, OTHER_KEY, startHttp } from '../../test/support/http-fixture.ts';

let http: HttpFixture;
beforeAll(async () => {
  http = await startHttp();
});
afterEach(() => {
  Object.assign(http.switches, {
    callable: true,
    draining: false,
    callsPerMinuteOverloaded: null,
    storeFailure: null,
    bug: false,
  });
});
afterAll(() => http.close());

const FIELDS = { action: 'blast', appkey: KEY, networkid: '1' };

const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(`${http.publicUrl}/api/rest/media${path}`, { method: 'POST', headers, body: new URLSearchParams(fields) });

const bodyOf = async (response: Response): Promise<Record<string, unknown>> => {
  const { MediaResponse } = (await response.json()) as { MediaResponse: Record<string, unknown> };
  return MediaResponse;
};

const countBlasts = (): unknown => http.sql('SELECT count(*) AS n FROM blasts')[0];

describe('refusals of a blast', () => {
  const refused = async (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) => {
    const before = countBlasts();
    const response = await post(path, fields, headers);
    expect(countBlasts()).toEqual(before);
    const text = await response.text();
    const { MediaResponse: body } = JSON.parse(text);
    expect(Object.keys(body)).toEqual(['message', 'status', 'downloadUrl', 'fileSize', 'mediaId', 'uri']);
    expect(body).toMatchObject({ status: response.status, downloadUrl: '', fileSize: 0, mediaId: '', uri: '' });
    expect(body.message).toMatch(/^[A-Z].+\.$/);
    expect(text).not.toContain(fields.appkey ?? 'no key');
    return { status: response.status, text, headers: response.headers };
  };

  const without = (name: string): Record<string, string> =>
    Object.fromEntries(Object.entries(FIELDS).filter(([key]) => key !== name));

  it.each(['action', 'appkey', 'networkid'])('A3 400 when %s is missing or blank', async (name) => {
    expect((await refused('/101', without(name))).status).toBe(400);
    expect((await refused('/101', { ...FIELDS, [name]: ' \t ' })).status).toBe(400);
  });

  it.each(['Blast', 'blast ', 'play'])('A2 400 for the action "%s": values are exact', async (action) => {
    expect((await refused('/101', { ...FIELDS, action })).status).toBe(400);
  });

  it('A2 400 for a parameter name in another letter case', async () => {
    expect((await refused('/101', { ...without('networkid'), NetworkId: '1' })).status).toBe(400);
  });

  it.each(['', '/', '/%20', '/%09'])('A3 400 for the blank media id of "%s"', async (path) => {
    expect((await refused(path, FIELDS)).status).toBe(400);
  });

  it.each(['/-101', '/101-', '/101--102', '/101-%20-102', '/-'])(
    'A3 400 for a blank id in the list %s',
    async (path) => {
      expect((await refused(path, FIELDS)).status).toBe(400);
    },
  );

  it('A3 400 for more than 100 ids', async () => {
    expect((await refused(`/${Array(101).fill('101').join('-')}`, FIELDS)).status).toBe(400);
  });

  it('A8 400 for an Idempotency-Key over 255 characters', async () => {
    expect((await refused('/101', FIELDS, { 'idempotency-key': 'k'.repeat(256) })).status).toBe(400);
  });

  it.each(['999', '201', '103', '007', '7', 'a%2Fb', 'x'.repeat(65), '1%00', '%C3%A9'])(
    'A4 A6 404 for the unknown, foreign or empty media %s',
    async (mediaId) => {
      const unknown = await refused('/999', FIELDS);
      expect(await refused(`/${mediaId}`, FIELDS)).toMatchObject({ status: 404, text: unknown.text });
    },
  );

  it('A4 digits are never turned into numbers', async () => {
    expect((await refused('/0101', FIELDS)).status).toBe(404);
    expect((await refused('/101.0', FIELDS)).status).toBe(404);
    expect((await refused('/101', { ...FIELDS, networkid: '01' })).status).toBe(404);
  });

  it.each(['999', '201', '103'])('A6 404 for the unknown, foreign or empty greeting %s', async (greetingid) => {
    expect((await refused('/101', { ...FIELDS, greetingid })).status).toBe(404);
  });

  it('A6 unknown key, revoked key, unknown network and foreign network give the same 404', async () => {
    const revoked = await http.store.transact((tx) => tx.createAppKey('1', null));
    await http.store.transact((tx) => tx.revokeAppKey('1', revoked.id));
    const answers = [
      await refused('/101', { ...FIELDS, appkey: 'unknown-key-unknown-key' }),
      await refused('/101', { ...FIELDS, appkey: revoked.secret }),
      await refused('/101', { ...FIELDS, networkid: '999' }),
      await refused('/101', { ...FIELDS, networkid: '2' }),
      await refused('/101', { ...FIELDS, networkid: 'no id at all/é' }),
      await refused('/101', { ...FIELDS, appkey: OTHER_KEY }),
    ];
    for (const answer of answers) expect(answer).toMatchObject({ status: 404, text: answers[0]?.text });
    const names = answers.map(({ headers }) => [...headers.keys()].join());
    expect(new Set(names).size).toBe(1);
  });

  it('A6 the media are looked at only after key and network have passed', async () => {
    const stranger = await refused('/999', { ...FIELDS, networkid: '2' });
    expect(stranger).toMatchObject({ status: 404, text: (await refused('/101', { ...FIELDS, networkid: '2' })).text });
  });

  it('A1 400 before 404 before 502', async () => {
    http.switches.callable = false;
    expect((await refused('/101-', { ...FIELDS, appkey: 'unknown-key-unknown-key' })).status).toBe(400);
    expect((await refused('/999', FIELDS)).status).toBe(404);
    expect((await refused('/101', { ...FIELDS, networkid: '2' })).status).toBe(404);
    expect((await refused('/101', FIELDS)).status).toBe(502);
  });

  it('A1 a 400 depends on the text alone: it is the same with the store gone', async () => {
    http.switches.storeFailure = 'store_unavailable';
    expect((await refused('/101', without('networkid'))).status).toBe(400);
  });

  it('A5 500 in the same envelope, and the log has no key', async () => {
    http.switches.bug = true;
    expect((await refused('/101', FIELDS)).status).toBe(500);
    const entry = http.logged.findLast(({ level }) => level === 'error');
    expect(entry?.fields).toMatchObject({ route: '/api/rest/media/:mediaid', status: 500 });
    expect(JSON.stringify(http.logged)).not.toContain(KEY);
  });
});

describe('A9 502 with Retry-After, nothing stored', () => {
  const refuses = async (): Promise<void> => {
    const before = countBlasts();
    const wakes = http.counters.wakes;
    const response = await post('/101', FIELDS);
    expect(response.status).toBe(502);
    expect(response.headers.get('retry-after')).toMatch(/^[0-9]+$/);
    expect(await bodyOf(response)).toMatchObject({ status: 502 });
    expect(countBlasts()).toEqual(before);
    expect(http.counters.wakes).toBe(wakes);
  };

  it('A9 when no way to call the network is up', async () => {
    http.switches.callable = false;
    await refuses();
  });

  it('when the network has no destinations yet', async () => {
    const { destinations, ...before } =
      (await http.store.view((views) => views.findNetwork('1'))) ?? expect.unreachable();
    await http.store.transact((tx) => tx.replaceNetwork('1', { ...before, destinations: [] }));
    await refuses();
    await http.store.transact((tx) => tx.replaceNetwork('1', { ...before, destinations }));
  });

  it('A9 when the server is draining', async () => {
    http.switches.draining = true;
    await refuses();
  });

  it('A9 when the server is overloaded and the time of its calls would run out', async () => {
    http.switches.callsPerMinuteOverloaded = 0;
    await refuses();
    http.switches.callsPerMinuteOverloaded = 60;
    expect((await post('/101', FIELDS)).status).toBe(202);
  });

  it.each(['store_unavailable', 'disk_full'] as const)('A9 when the store cannot commit (%s)', async (failure) => {
    http.switches.storeFailure = failure;
    await refuses();
  });

  it('A9 when the queue is full: calls accepted and not yet dialled count', async () => {
    const small = await startHttp({ limits: { maxWaitingCalls: 3 } });
    try {
      const blast = () =>
        fetch(`${small.publicUrl}/api/rest/media/101`, { method: 'POST', body: new URLSearchParams(FIELDS) });
      expect([(await blast()).status, (await blast()).status]).toEqual([202, 502]);
      expect(await small.store.view((views) => views.countWaiting())).toBe(2);
    } finally {
      await small.close();
    }
  });
});
