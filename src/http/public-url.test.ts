import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpFixture, KEY, startHttp } from '../../test/support/http-fixture.ts';
import { baseOf, stripPrefix } from './public-url.ts';

describe('stripPrefix', () => {
  it.each([
    ['https://h', '/api/rest/media/1', '/api/rest/media/1'],
    ['https://h/x', '/x/api/rest/media/1', '/api/rest/media/1'],
    ['https://h/x/', '/x/api/rest/media/1?q=/x/', '/api/rest/media/1?q=/x/'],
    ['https://h/x', '/api/rest/media/1', '/api/rest/media/1'],
    ['https://h/x', '/xapi/rest', '/xapi/rest'],
    ['https://h/x', '/x/health/live', '/health/live'],
    ['https://h/x', '/x/other', '/x/other'],
    ['https://h/api', '/api/rest/media/1', '/api/rest/media/1'],
    ['https://h/api', '/api/api/rest/media/1', '/api/rest/media/1'],
    ['https://h', 'http://h:8080/api/rest?x', '/api/rest?x'],
    ['https://h', 'http://h', '/'],
    ['https://h', '*', '*'],
  ])('A the server at %s reads %s as %s', (publicUrl, target, path) => {
    expect(stripPrefix(new URL(publicUrl))(target)).toBe(path);
  });
});

describe('baseOf', () => {
  it.each([
    [null, ''],
    ['https://h', 'https://h'],
    ['https://h/', 'https://h'],
    ['https://h:8443/x/', 'https://h:8443/x'],
  ])('A11 %s gives %s', (publicUrl, base) => {
    expect(baseOf(publicUrl === null ? null : new URL(publicUrl))).toBe(base);
  });
});

describe('below a path prefix', () => {
  let http: HttpFixture;
  beforeAll(async () => {
    http = await startHttp({ publicUrl: 'https://voice.example/x' });
  });
  afterAll(() => http.close());

  const post = (path: string, fields: Record<string, string>) =>
    fetch(http.publicUrl + path, { method: 'POST', body: new URLSearchParams({ appkey: KEY, ...fields }) });

  it.each(['', '/x'])('A answers at "%s/api/rest", and absolute URLs carry the prefix', async (prefix) => {
    const blast = await post(`${prefix}/api/rest/media/101`, { action: 'blast', networkid: '1' });
    expect(blast.status).toBe(202);
    expect(blast.headers.get('location')).toMatch(/^https:\/\/voice\.example\/x\/api\/v1\/blasts\/[0-9]+$/);
    expect((await fetch(`${http.publicUrl}${prefix}/health/live`)).status).toBe(200);
  });

  it.each(['', '/x'])('A a grant\'s uri begins /api/rest/media/ and is used at "%s" plus it', async (prefix) => {
    const grant = await post(`${prefix}/api/rest/media/101`, { action: 'upload_grant' });
    const { uri } = ((await grant.json()) as { UploadResponse: { uri: string } }).UploadResponse;
    expect(uri).toMatch(/^\/api\/rest\/media\/101\//);
    const upload = await fetch(http.publicUrl + prefix + uri, { method: 'PUT', body: 'audio' });
    expect(await upload.json()).toMatchObject({
      MediaResponse: {
        status: 201,
        downloadUrl: 'https://voice.example/x/api/v1/media/101/audio',
        uri: '/api/rest/media/101',
      },
    });
  });
});
