import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { applicationClient } from '../../test/support/application-client.ts';
import { type HttpFixture, KEY, OTHER_KEY, startHttp } from '../../test/support/http-fixture.ts';
import { decodeUlaw } from '../rtp/g711.ts';
import { readWav } from '../rtp/wav.ts';

let http: HttpFixture;
beforeAll(async () => {
  http = await startHttp();
});
afterEach(() => {
  http.switches.ready = true;
  http.switches.framesSent.clear();
});
afterAll(() => http.close());

const { call, json, get, expectProblem } = applicationClient(() => http);

describe('C bearer keys', () => {
  const paths = ['/api/v1/media', '/api/v1/media/101', '/api/v1/networks', '/api/v1/blasts', '/api/v1/blasts/1'];

  it.each(paths)('C 401 with a challenge for a missing or unknown key on %s', async (path) => {
    for (const headers of [{}, { authorization: 'Bearer unknown-key-unknown' }, { authorization: `Basic ${KEY}` }]) {
      const response = await fetch(http.publicUrl + path, { headers });
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
      await expectProblem(response, 401);
    }
  });

  it('C 401 before anything of the body is read', async () => {
    const body = 'not json';
    const headers = { 'content-type': 'application/json' };
    await expectProblem(await fetch(`${http.publicUrl}/api/v1/media`, { method: 'POST', headers, body }), 401);
  });

  it('C an imported key that is not ASCII is sent in UTF-8', async () => {
    const { secret } = await http.store.transact((tx) => tx.createAppKey('1', 'clé-d’un-autre-système'));
    const authorization = `Bearer ${Buffer.from(secret).toString('latin1')}`;
    expect((await fetch(`${http.publicUrl}/api/v1/media`, { headers: { authorization } })).status).toBe(200);
  });

  it('C the scheme may be in any letter case', async () => {
    const response = await fetch(`${http.publicUrl}/api/v1/media`, { headers: { authorization: `bearer  ${KEY}` } });
    expect(response.status).toBe(200);
  });
});

describe('C media', () => {
  it('C POST gives an application a media id of its own, with and without a name', async () => {
    const named = await call('POST', '/api/v1/media', { body: { name: 'Hello' } });
    expect(named.status).toBe(201);
    const media = await json(named);
    expect(media).toEqual({
      id: expect.stringMatching(/^[0-9]+$/),
      name: 'Hello',
      processing: { level: true, trim: true, telephoneBand: false },
      clip: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(named.headers.get('location')).toBe(`/api/v1/media/${media.id}`);
    expect((await call('POST', '/api/v1/media')).status).toBe(201);
    const empty = { method: 'POST', headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' } };
    expect((await fetch(`${http.publicUrl}/api/v1/media`, empty)).status).toBe(201);
    expect((await call('GET', `/api/v1/media/${media.id}`, { key: OTHER_KEY })).status).toBe(404);
    const grant = await fetch(`${http.publicUrl}/api/rest/media/${media.id}`, {
      method: 'POST',
      body: new URLSearchParams({ action: 'upload_grant', appkey: KEY }),
    });
    expect(grant.status).toBe(201);
  });

  it('C POST says what is done to the sound of its clips', async () => {
    const created = await call('POST', '/api/v1/media', { body: { processing: { level: false } } });
    const media = await json(created);
    expect(media.processing).toEqual({ level: false, trim: true, telephoneBand: false });
    const level = { processing: { level: 'off' } };
    await expectProblem(await call('POST', '/api/v1/media', { body: level }), 422, 'processing.level');
    const louder = { processing: { louder: true } };
    await expectProblem(await call('POST', '/api/v1/media', { body: louder }), 422, 'processing.louder');
  });

  it('C a media with a clip tells of it', async () => {
    expect(await get('/api/v1/media/102')).toMatchObject({
      id: '102',
      name: 'Media 102',
      clip: { id: 'clip-102', bytes: 1, type: 'audio/x-test', durationMs: 40, frames: 2 },
    });
  });

  it('C the list is newest first, holds no media of others, and has pages', async () => {
    const ids: string[] = [];
    let path = '/api/v1/media?limit=2';
    for (;;) {
      const page = await get(path);
      expect(page.items.length).toBeLessThanOrEqual(2);
      ids.push(...page.items.map((media: { id: string }) => media.id));
      if (page.next === null) break;
      path = `/api/v1/media?limit=2&cursor=${encodeURIComponent(page.next)}`;
    }
    expect(ids.slice(-4)).toEqual(['900', '103', '102', '101']);
    expect(ids).not.toContain('201');
  });

  it('C 404 for unknown and foreign media, and for the audio of an empty one', async () => {
    for (const path of ['/999', '/201', '/999/audio', '/201/audio', '/103/audio', '/103/audio?as=original']) {
      await expectProblem(await call('GET', `/api/v1/media${path}`), 404);
    }
  });

  it('C audio is a WAV file as the phone hears it', async () => {
    const response = await call('GET', '/api/v1/media/102/audio');
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'audio/wav']);
    expect(response.headers.get('content-length')).toBe(String(44 + 2 * 320));
    const { samples, sampleRateHz } = readWav(new Uint8Array(await response.arrayBuffer()));
    expect(sampleRateHz).toBe(8000);
    expect(samples).toEqual(decodeUlaw(new Uint8Array(320).fill(2)));
  });

  it('C audio?as=original is what was uploaded, octet for octet', async () => {
    const { id } = await json(await call('POST', '/api/v1/media'));
    const octets = Buffer.alloc(60_000, 'audio and more of it ');
    const headers = { authorization: 'Bearer operator-token-of-the-tests' };
    const url = `${http.operatorUrl}/operator/v1/media/${id}/audio`;
    expect((await fetch(url, { method: 'PUT', headers, body: octets })).status).toBe(200);
    const response = await call('GET', `/api/v1/media/${id}/audio?as=original`);
    expect(response.headers.get('content-type')).toBe('audio/x-test');
    expect(response.headers.get('content-length')).toBe('60000');
    expect(response.headers.get('content-disposition')).toBe('attachment');
    expect(Buffer.from(await response.arrayBuffer()).equals(octets)).toBe(true);
  });
});

describe('C refusals', () => {
  it('C 422 names the field of a body that is wrong', async () => {
    await expectProblem(await call('POST', '/api/v1/media', { body: { name: 5 } }), 422, 'name');
    await expectProblem(await call('POST', '/api/v1/media', { body: { nmae: 'x' } }), 422, 'nmae');
    await expectProblem(await call('POST', '/api/v1/media', { body: { name: 'a\nb' } }), 422, 'name');
    await expectProblem(await call('POST', '/api/v1/media', { body: [] }), 422);
  });

  it.each([
    ['limit', '0'],
    ['limit', '101'],
    ['limit', 'x'],
    ['cursor', 'garbage'],
  ])('C 400 for %s=%s', async (name, value) => {
    for (const list of ['media', 'networks', 'blasts']) {
      await expectProblem(await call('GET', `/api/v1/${list}?${name}=${value}`), 400, name);
    }
  });

  it('C 400 for a body that is no JSON, 415 for another type, 413 for a large one', async () => {
    const send = (type: string, body: string) =>
      fetch(`${http.publicUrl}/api/v1/media`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': type },
        body,
      });
    await expectProblem(await send('application/json', '{'), 400);
    await expectProblem(await send('application/json', '{"__proto__":{}}'), 400);
    await expectProblem(await send('text/plain', 'x'), 415);
    await expectProblem(await send('application/json', `"${'x'.repeat(2_000_000)}"`), 413);
  });

  it('C 404 for no route and 405 with Allow for another method', async () => {
    await expectProblem(await call('GET', '/api/v1/nothing'), 404);
    const response = await call('DELETE', '/api/v1/media/101');
    expect(response.headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'HEAD']);
    await expectProblem(response, 405);
  });

  it('C 503 with Retry-After when the store is gone', async () => {
    http.switches.storeFailure = 'store_unavailable';
    const response = await call('POST', '/api/v1/media');
    http.switches.storeFailure = null;
    expect(response.headers.get('retry-after')).toMatch(/^[0-9]+$/);
    await expectProblem(response, 503);
  });
});
