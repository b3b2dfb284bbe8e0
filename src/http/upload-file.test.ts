import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type HttpFixture, KEY, OTHER_KEY, startHttp } from '../../test/support/http-fixture.ts';
import { sendRaw } from '../../test/support/raw-http.ts';
import { answerOf, formOf, uploadClient } from '../../test/support/upload-client.ts';

let http: HttpFixture;
beforeAll(async () => {
  http = await startHttp();
});
afterEach(async () => {
  http.switches.storeFailure = null;
  expect(await http.scratchFiles()).toEqual([]);
});
afterAll(() => http.close());

const { issue, put, postForm, stateOf, clipOf, expectFailedTry } = uploadClient(() => http);

describe('B 201', () => {
  it('B 201 PUT: the clip is committed, the grant spent, the owner is told where to hear it', async () => {
    const { uri } = await issue('103');
    const response = await put(uri, 'audio by put', { 'content-type': 'text/x-nonsense;;' });
    expect(response.status).toBe(201);
    expect(await answerOf(response)).toMatchObject({
      message: '',
      status: 201,
      downloadUrl: '/api/v1/media/103/audio',
      fileSize: 12,
      mediaId: '103',
      uri: '/api/rest/media/103',
    });
    expect(await stateOf(uri)).toMatchObject({ state: 'spent', failedTries: 0 });
    expect(await clipOf('103')).toMatchObject({
      originalBytes: 12,
      digest: createHash('sha256').update('audio by put').digest('hex'),
    });
  });

  it('B 201 POST multipart/form-data, as an HTML form sends it', async () => {
    const { uri } = await issue();
    const response = await postForm(uri, formOf('audio by form'));
    expect(await answerOf(response)).toMatchObject({ status: 201, fileSize: 13 });
    expect(await clipOf('101')).toMatchObject({ originalBytes: 13 });
  });

  it('B 201 whoever holds it can blast the new clip at once; the old one plays until then', async () => {
    const old = await clipOf('101');
    const { uri } = await issue();
    expect((await put(uri, 'not a clip')).status).toBe(415);
    expect(await clipOf('101')).toEqual(old);
    expect((await put(uri, 'audio again')).status).toBe(201);
    const blast = await fetch(`${http.publicUrl}/api/rest/media/101`, {
      method: 'POST',
      body: new URLSearchParams({ action: 'blast', appkey: KEY, networkid: '1' }),
    });
    expect(blast.status).toBe(202);
    expect((await clipOf('101'))?.id).not.toBe(old?.id);
  });

  it('B 201 a grant id that is sent along in any way and matches', async () => {
    const byQuery = await issue();
    expect((await put(`${byQuery.uri}?grantid=${byQuery.grantId}`, 'audio')).status).toBe(201);
    const byHeader = await issue();
    expect((await put(byHeader.uri, 'audio', { 'upload-grant': byHeader.grantId })).status).toBe(201);
    const byField = await issue();
    const form = new FormData();
    form.append('grantid', byField.grantId);
    form.append('other', 'field');
    form.append('file', new Blob(['audio']), 'a.wav');
    expect((await postForm(byField.uri, form)).status).toBe(201);
  });

  it('B 201 for a body of unannounced length, and of the greatest size allowed', async () => {
    const chunked = await issue();
    const stream = new Blob(['audio in chunks']).stream();
    const init = { method: 'PUT', body: stream, duplex: 'half' } as RequestInit;
    expect((await fetch(http.publicUrl + chunked.uri, init)).status).toBe(201);
    const largest = await issue();
    expect((await put(largest.uri, 'audio'.padEnd(64 * 1024, 'x'))).status).toBe(201);
    const largestForm = await issue();
    expect((await postForm(largestForm.uri, formOf('audio'.padEnd(64 * 1024, 'x')))).status).toBe(201);
  });
});

describe('B 400', () => {
  it('B 400 for an empty file, announced, chunked or in a form', async () => {
    const announced = await issue();
    await expectFailedTry(announced.uri, await put(announced.uri, ''), 400);
    const chunked = await issue();
    const init = { method: 'PUT', body: new Blob([]).stream(), duplex: 'half' } as RequestInit;
    await expectFailedTry(chunked.uri, await fetch(http.publicUrl + chunked.uri, init), 400);
    const form = await issue();
    await expectFailedTry(form.uri, await postForm(form.uri, formOf('')), 400);
  });

  it('B 400 for a form without a file, a POST that is no form, and one without a body', async () => {
    const fields = new FormData();
    fields.append('file', 'audio, but a field');
    for (const body of [fields, new URLSearchParams({ file: 'audio' }), '{}', null]) {
      const { uri } = await issue();
      await expectFailedTry(uri, await fetch(http.publicUrl + uri, { method: 'POST', body }), 400);
    }
  });

  it('B 400 for several files', async () => {
    const { uri } = await issue();
    await expectFailedTry(uri, await postForm(uri, formOf('audio 1', 'audio 2')), 400);
  });

  it.each([
    ['without its end', '--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\naudio'],
    ['with only a boundary', '--b\r\n'],
    ['that is no multipart', 'audio'],
  ])('B 400 for a form %s', async (_, body) => {
    const { uri } = await issue();
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    await expectFailedTry(uri, await fetch(http.publicUrl + uri, { method: 'POST', body, headers }), 400);
  });

  it('B 400 for a form without a boundary', async () => {
    const { uri } = await issue();
    const headers = { 'content-type': 'multipart/form-data; x=y' };
    await expectFailedTry(uri, await fetch(http.publicUrl + uri, { method: 'POST', body: 'audio', headers }), 400);
  });

  it('B 400 for a part of a file', async () => {
    const { uri } = await issue();
    await expectFailedTry(uri, await put(uri, 'audio', { 'content-range': 'bytes 0-4/10' }), 400);
  });
});

describe('B 413 and 415', () => {
  it('B 413 for one octet too many, announced, unannounced or in a form', async () => {
    const body = 'audio'.padEnd(64 * 1024 + 1, 'x');
    const announced = await issue();
    await expectFailedTry(announced.uri, await put(announced.uri, body), 413);
    const chunked = await issue();
    const init = { method: 'PUT', body: new Blob([body]).stream(), duplex: 'half' } as RequestInit;
    await expectFailedTry(chunked.uri, await fetch(http.publicUrl + chunked.uri, init), 413);
    const form = await issue();
    await expectFailedTry(form.uri, await postForm(form.uri, formOf(body)), 413);
  });

  it('B 413 at once for an announced length that is too large, before any of the body', async () => {
    const { uri } = await issue();
    const head = `PUT ${uri} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 9999999999\r\n\r\n`;
    expect((await sendRaw(http.publicPort, head)).status).toBe(413);
  });

  it('B 413 is read by a sender that is still sending much more', async () => {
    for (let n = 0; n < 5; n += 1) {
      const { uri } = await issue();
      expect((await put(uri, new Uint8Array(4_000_000))).status).toBe(413);
      expect((await postForm(uri, formOf('x'.repeat(4_000_000)))).status).toBe(413);
    }
  });

  it('B 415 for what is not audio, whatever its name and type say', async () => {
    const { uri } = await issue();
    await expectFailedTry(uri, await put(uri, 'text', { 'content-type': 'audio/wav' }), 415);
  });
});

describe('B 503 and 507', () => {
  it('B 503 when the store is gone, 507 when the disk is full', async () => {
    const { uri } = await issue();
    http.switches.storeFailure = 'store_unavailable';
    const gone = await answerOf(await put(uri, 'audio'));
    expect(gone).toMatchObject({ status: 503 });
    expect(gone.headers.get('retry-after')).toMatch(/^[0-9]+$/);
    http.switches.storeFailure = 'disk_full';
    expect(await answerOf(await put(uri, 'audio'))).toMatchObject({ status: 507 });
    http.switches.storeFailure = null;
    expect((await put(uri, 'audio')).status).toBe(201);
  });
});

describe('B methods and origins', () => {
  it.each(['GET', 'HEAD', 'DELETE', 'PATCH', 'PROPFIND'])(
    'B 405 with Allow for %s: the file is never given out here',
    async (method) => {
      const { uri } = await issue();
      const response = await fetch(http.publicUrl + uri, { method });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'PUT, POST, OPTIONS']);
    },
  );

  it('B CORS is open on this path, answers to preflights and refusals included', async () => {
    const { uri } = await issue();
    const headers = { origin: 'https://page.example', 'access-control-request-method': 'PUT' };
    const preflight = await fetch(http.publicUrl + uri, { method: 'OPTIONS', headers });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-methods')).toBe('PUT, POST');
    expect(preflight.headers.get('access-control-allow-headers')).toMatch(/^\*, .*Tus-Resumable.*Upload-Offset/);
    expect(preflight.headers.get('access-control-expose-headers')).toMatch(/Location.*Tus-Resumable.*Upload-Offset/);
    const refused = await put(uri, 'text', { origin: 'https://page.example' });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([415, '*']);
    const taken = await put(uri, 'audio', { origin: 'https://page.example' });
    expect([taken.status, taken.headers.get('access-control-allow-origin')]).toEqual([201, '*']);
  });

  it.each(['/api/rest/media/101', '/api/v1/media', '/health/live'])('B CORS is closed on %s', async (path) => {
    const headers = { origin: 'https://page.example', 'access-control-request-method': 'POST' };
    for (const method of ['OPTIONS', 'GET', 'POST']) {
      const response = await fetch(http.publicUrl + path, { method, headers });
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  it('B the log holds no token and no grant id', async () => {
    const { uri, grantId } = await issue();
    await put(`${uri}?grantid=${grantId}`, 'text');
    await put(uri, 'audio');
    const text = JSON.stringify(http.logged);
    expect(text).not.toContain(uri.split('/').pop());
    expect(text).not.toContain(grantId);
    expect(text).not.toContain(OTHER_KEY);
  });
});
