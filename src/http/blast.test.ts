import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { GREETING_FRAMES, type HttpFixture, KEY, OTHER_KEY, startHttp } from '../../test/support/http-fixture.ts';
import { NO_SILENCES } from '../domain/silences.ts';

let http: HttpFixture;
beforeAll(async () => {
  http = await startHttp();
});
afterEach(() => {
  Object.assign(http.switches, { callable: true, draining: false, storeFailure: null, bug: false });
});
afterAll(() => http.close());

const FIELDS = { action: 'blast', appkey: KEY, networkid: '1' };

const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(`${http.publicUrl}/api/rest/media${path}`, { method: 'POST', headers, body: new URLSearchParams(fields) });

const bodyOf = async (response: Response): Promise<Record<string, unknown>> => {
  const { MediaResponse } = (await response.json()) as { MediaResponse: Record<string, unknown> };
  return MediaResponse;
};

const blastIdOf = (response: Response): string => response.headers.get('location')?.split('/').pop() ?? '';

const storedBlast = async (response: Response) => {
  const blast = await http.store.view((views) => views.findBlast(blastIdOf(response)));
  if (!blast) throw new Error('no such blast');
  return blast;
};

const countBlasts = (): unknown => http.sql('SELECT count(*) AS n FROM blasts')[0];

/** The playlist as the database pins it. */
const playlistOf = (response: Response): unknown => {
  const [row] = http.sql('SELECT playlist FROM blasts WHERE id = ?', blastIdOf(response));
  return JSON.parse((row as { playlist: string }).playlist);
};

describe('seed 4.1 blast', () => {
  it('A8 answers 202 with every member after the blast and its calls are committed', async () => {
    const wakes = http.counters.wakes;
    const response = await post('/101-102', FIELDS);
    expect(response.status).toBe(202);
    expect(await response.text()).toBe(
      '{"MediaResponse":{"message":"101-102","status":202,"downloadUrl":"","fileSize":0,"mediaId":"","uri":""}}',
    );
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(response.headers.get('location')).toMatch(/^\/api\/v1\/blasts\/[0-9]{25}$/);
    const blast = await storedBlast(response);
    expect(blast).toMatchObject({ applicationId: '1', networkId: '1', mediaIds: ['101', '102'], state: 'active' });
    expect(blast.calls.map((call) => [call.destination, call.state]).sort()).toEqual([
      ['sip:a@127.0.0.1:5070', 'waiting'],
      ['sip:b@127.0.0.1:5071', 'waiting'],
    ]);
    expect(http.counters.wakes).toBe(wakes + 1);
  });

  it('A7 message is the path value after percent-decoding', async () => {
    const response = await post('/%31%30%31%2D102', FIELDS);
    expect(response.status).toBe(202);
    expect((await bodyOf(response)).message).toBe('101-102');
  });

  it('A2 takes parameters from the body alone, in a form of any letter case, and ignores unknown ones', async () => {
    const other = `${http.publicUrl}/api/rest/media/101?appkey=wrong&action=upload_grant&networkid=`;
    const response = await fetch(other, {
      method: 'POST',
      headers: { 'content-type': 'Application/X-WWW-Form-URLencoded; Charset="UTF-8"' },
      body: `${new URLSearchParams(FIELDS)}&appkeys=x&Action=y&constructor=1&__proto__=2`,
    });
    expect(response.status).toBe(202);
  });

  it('A2 parameters in the query string do not count', async () => {
    const response = await fetch(`${http.publicUrl}/api/rest/media/101?${new URLSearchParams(FIELDS)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: '',
    });
    expect(response.status).toBe(400);
  });
});

describe('A7 what a blast plays', () => {
  const clip = (mediaId: string, frames: number) => ({
    mediaId,
    clipId: `clip-${mediaId}`,
    frameCount: frames,
  });
  const builtIn = { mediaId: null, clipId: null, frameCount: GREETING_FRAMES };

  it('A7 the built-in greeting, then the clips in list order, repeats included', async () => {
    const response = await post('/102-101-102', FIELDS);
    expect(playlistOf(response)).toEqual([builtIn, clip('102', 2), clip('101', 1), clip('102', 2)]);
  });

  it('A7 the named greeting', async () => {
    const response = await post('/101', { ...FIELDS, greetingid: '900' });
    expect(playlistOf(response)).toEqual([clip('900', 9), clip('101', 1)]);
    expect((await storedBlast(response)).greetingId).toBe('900');
  });

  it('A3 a blank greetingid is an absent one', async () => {
    const response = await post('/101', { ...FIELDS, greetingid: ' \t' });
    expect(playlistOf(response)).toEqual([builtIn, clip('101', 1)]);
  });

  it('A7 the default of the settings, and before it that of the application, though not associated with it', async () => {
    await http.store.transact((tx) => tx.replaceSettings({ defaultGreetingId: '102' }));
    const bySettings = await post('/101', FIELDS);
    const dialling = {
      priority: 1,
      maxConcurrentCalls: null,
      callsPerSecond: null,
      dialBySeconds: 60,
      silences: NO_SILENCES,
    };
    const application = { id: '1', name: 'x', retry: { maxAttempts: 1, delaySeconds: 60, on: [] }, ...dialling };
    await http.store.transact((tx) => tx.replaceApplication('1', { ...application, defaultGreetingId: '201' }));
    const byApplication = await post('/101', FIELDS);
    await http.store.transact(async (tx) => {
      await tx.replaceApplication('1', { ...application, defaultGreetingId: null });
      await tx.replaceSettings({ defaultGreetingId: null });
    });
    expect(playlistOf(bySettings)).toEqual([clip('102', 2), clip('101', 1)]);
    expect(playlistOf(byApplication)).toEqual([clip('201', 1), clip('101', 1)]);
  });

  it('A7 greetingid is one id, never a list', async () => {
    expect((await post('/101', { ...FIELDS, greetingid: '900-101' })).status).toBe(404);
  });

  it('A7 one bad id refuses the whole request', async () => {
    const before = countBlasts();
    expect((await post('/101-999-102', FIELDS)).status).toBe(404);
    expect(countBlasts()).toEqual(before);
  });

  it('A3 takes 100 ids', async () => {
    const response = await post(`/${Array(100).fill('101').join('-')}`, FIELDS);
    expect(response.status).toBe(202);
    expect(playlistOf(response)).toHaveLength(101);
  });

  it('A4 takes 100 ids of 64 characters', async () => {
    const id = 'Z'.repeat(64);
    await http.store.transact((tx) => tx.createMedia({ id, name: '', applicationIds: ['1'] }));
    const response = await post(`/${Array(100).fill(id).join('-')}`, FIELDS);
    expect(response.status).toBe(404);
    expect(await bodyOf(response)).toMatchObject({ status: 404, message: expect.stringContaining('holds no clip') });
  });
});

describe('A8 Idempotency-Key', () => {
  const blast = (key: string, path = '/101', fields: Record<string, string> = FIELDS) =>
    post(path, fields, { 'idempotency-key': key });

  it('A8 gives the first answer again and places no second call', async () => {
    const first = await blast('a');
    const before = countBlasts();
    const wakes = http.counters.wakes;
    const second = await blast('a');
    expect([first.status, second.status]).toEqual([202, 202]);
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    expect([first, second].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true']);
    expect(await second.text()).toBe(await first.text());
    expect(countBlasts()).toEqual(before);
    expect(http.counters.wakes).toBe(wakes);
  });

  it('A8 gives it again although things changed since', async () => {
    const first = await blast('b');
    http.switches.callable = false;
    http.switches.draining = true;
    await http.store.transact((tx) => tx.dissociateNetwork('1', '1'));
    const second = await blast('b');
    await http.store.transact((tx) => tx.associateNetwork('1', '1'));
    expect(second.status).toBe(202);
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
  });

  it('A8 409 in the usual envelope for the same key and another request', async () => {
    await blast('c');
    for (const response of [
      await blast('c', '/102'),
      await blast('c', '/101', { ...FIELDS, greetingid: '900' }),
      await blast('c', '/101-101'),
    ]) {
      expect(response.status).toBe(409);
      expect(await bodyOf(response)).toMatchObject({ status: 409, mediaId: '' });
    }
  });

  it('A8 a key of another application is another key, and 404 comes before 409', async () => {
    await blast('d');
    const other = await blast('d', '/201', { action: 'blast', appkey: OTHER_KEY, networkid: '2' });
    expect(other.status).toBe(202);
    expect(other.headers.get('idempotency-replayed')).toBeNull();
    expect((await blast('d', '/101', { ...FIELDS, networkid: '2' })).status).toBe(404);
  });

  it('A8 refusals are not remembered', async () => {
    expect((await blast('e', '/999')).status).toBe(404);
    http.switches.callable = false;
    expect((await blast('e')).status).toBe(502);
    http.switches.callable = true;
    const response = await blast('e');
    expect(response.status).toBe(202);
    expect(response.headers.get('idempotency-replayed')).toBeNull();
  });

  it('A8 of simultaneous ones the first is answered, the others repeat it', async () => {
    const before = countBlasts() as { n: number };
    const responses = await Promise.all(Array.from({ length: 10 }, () => blast('f')));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(responses.map(blastIdOf)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1);
    expect(countBlasts()).toEqual({ n: before.n + 1 });
  });

  it('A8 takes 255 characters, and forgets after 24 hours', async () => {
    const key = 'k'.repeat(255);
    const first = await blast(key);
    http.sql('UPDATE idempotency SET created_at = created_at - 86400000');
    const second = await blast(key);
    expect([first.status, second.status]).toEqual([202, 202]);
    expect(blastIdOf(second)).not.toBe(blastIdOf(first));
  });
});
