import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type HttpFixture, KEY, startHttp } from '../../test/support/http-fixture.ts';
import { PART_TYPE, tusClient } from '../../test/support/tus-client.ts';
import { answerOf, uploadClient } from '../../test/support/upload-client.ts';

let http: HttpFixture;
beforeAll(async () => {
  http = await startHttp();
});
afterEach(async () => {
  http.switches.storeFailure = null;
  expect(await http.scratchFiles()).toEqual([]);
});
afterAll(() => http.close());

const { issue, stateOf, clipOf } = uploadClient(() => http);
const { send, create, begin, patch, offsetOf } = tusClient(() => http);
const partialUploads = (): unknown[] => http.sql('select id from partial_uploads');
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('B tus a whole upload', () => {
  it('B tus in two parts: 201, 204, 204, and the clip is that of the file', async () => {
    const { uri } = await issue('103');
    const metadata = `filename ${btoa('a.wav')},plain`;
    const created = await create(uri, 12, { 'upload-metadata': metadata });
    expect([created.status, created.headers.get('tus-resumable'), await created.text()]).toEqual([201, '1.0.0', '']);
    expect(Date.parse(created.headers.get('upload-expires') ?? '')).toBeGreaterThan(Date.now());
    const location = created.headers.get('location') ?? '';
    expect(location).toMatch(new RegExp(`^${uri}/[0-9a-f]{32}$`));
    const first = await patch(location, 0, 'audio ');
    expect([first.status, first.headers.get('upload-offset'), await first.text()]).toEqual([204, '6', '']);
    expect(await stateOf(uri)).toMatchObject({ state: 'open' });
    const head = await send('HEAD', location);
    expect([head.status, head.headers.get('upload-offset'), head.headers.get('upload-length')]).toEqual([
      200,
      '6',
      '12',
    ]);
    expect(head.headers.get('upload-metadata')).toBe(metadata);
    expect(head.headers.get('cache-control')).toBe('no-store');
    const last = await patch(location, 6, 'by tus');
    expect([last.status, last.headers.get('upload-offset')]).toEqual([204, '12']);
    expect(await stateOf(uri)).toMatchObject({ state: 'spent', failedTries: 0 });
    expect(await clipOf('103')).toMatchObject({ originalBytes: 12, digest: sha256('audio by tus') });
    expect(partialUploads()).toEqual([]);
    expect((await patch(location, 6, 'by tus')).status).toBe(410);
    const blast = new URLSearchParams({ action: 'blast', appkey: KEY, networkid: '1' });
    expect((await fetch(`${http.publicUrl}/api/rest/media/103`, { method: 'POST', body: blast })).status).toBe(202);
  });

  it('B tus created with the first part, or with all of it', async () => {
    const { uri } = await issue();
    const headers = { 'upload-length': '11', 'content-type': PART_TYPE };
    const some = await send('POST', uri, headers, 'audio');
    expect([some.status, some.headers.get('upload-offset')]).toEqual([201, '5']);
    const all = await send('POST', uri, headers, 'audio whole');
    expect([all.status, all.headers.get('upload-offset')]).toEqual([201, '11']);
    expect(await stateOf(uri)).toMatchObject({ state: 'spent' });
    expect(await clipOf('101')).toMatchObject({ digest: sha256('audio whole') });
  });
});

describe('B tus what a server tells', () => {
  it('B tus OPTIONS tells version, extensions and the largest upload, and lets browsers in', async () => {
    const { uri } = await issue();
    for (const [path, methods] of [
      [uri, 'PUT, POST'],
      [`${uri}/${'0'.repeat(32)}`, 'POST, HEAD, PATCH, DELETE'],
    ] as const) {
      const response = await fetch(http.publicUrl + path, { method: 'OPTIONS' });
      expect(response.status).toBe(204);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        allow: `${methods}, OPTIONS`,
        'tus-version': '1.0.0',
        'tus-extension': 'creation,creation-with-upload,termination,checksum,expiration',
        'tus-max-size': '65536',
        'tus-checksum-algorithm': 'sha1,sha256,sha512',
        'access-control-allow-methods': methods,
        'access-control-allow-origin': '*',
        'access-control-expose-headers': expect.stringMatching(/Location.*Tus-Resumable.*Upload-Offset/),
        'access-control-allow-headers': expect.stringMatching(/Tus-Resumable.*Upload-Checksum.*Upload-Offset/),
      });
    }
  });

  it.each(['HEAD', 'PATCH', 'DELETE', 'GET', 'POST'])('B tus 405 for %s without Tus-Resumable', async (method) => {
    const { uri } = await issue();
    const location = await begin(uri, 5);
    const response = await fetch(http.publicUrl + location, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, HEAD, PATCH, DELETE, OPTIONS']);
    if (['HEAD', 'PATCH', 'DELETE'].includes(method)) {
      const atGrant = await send(method, uri);
      expect([atGrant.status, atGrant.headers.get('allow')]).toEqual([405, 'PUT, POST, OPTIONS']);
    }
  });

  it('B tus every answer is guarded, open to any origin, and made without Host', async () => {
    const { uri } = await issue();
    const location = await begin(uri, 10);
    const answers = [
      await create(uri, 10),
      await send('HEAD', location),
      await patch(location, 0, 'audio'),
      await patch(location, 0, 'audio'),
      await send('DELETE', location),
      await send('HEAD', location),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 204, 409, 204, 404]);
    for (const { headers } of answers) {
      expect(Object.fromEntries(headers)).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'access-control-allow-origin': '*',
        'tus-resumable': '1.0.0',
      });
      expect(headers.get('location') ?? uri).toMatch(/^\/api\/rest\/media\//);
    }
  });

  it('B tus Location is under RINGCAST_PUBLIC_URL', async () => {
    const behind = await startHttp({ publicUrl: 'https://voice.example/x' });
    try {
      const { uri } = await uploadClient(() => behind).issue();
      const response = await tusClient(() => behind).create(`/x${uri}`, 5);
      expect(response.headers.get('location')).toMatch(new RegExp(`^https://voice\\.example/x${uri}/[0-9a-f]{32}$`));
    } finally {
      await behind.close();
    }
  });

  it('B tus PATCH and DELETE by X-HTTP-Method-Override', async () => {
    const { uri } = await issue();
    const location = await begin(uri, 10);
    const headers = { 'upload-offset': '0', 'content-type': PART_TYPE, 'x-http-method-override': 'PATCH' };
    expect((await send('POST', location, headers, 'audio')).status).toBe(204);
    expect(await offsetOf(location)).toBe(5);
    expect((await send('POST', location, { 'x-http-method-override': 'DELETE' })).status).toBe(204);
    expect(partialUploads()).not.toContainEqual({ id: location.split('/').pop() });
  });
});

describe('B tus refusals', () => {
  const refused = async (response: Response, status: number): Promise<void> => {
    expect(await answerOf(response)).toMatchObject({ status, message: expect.stringMatching(/^[A-Z].+\.$/), uri: '' });
  };

  it('B tus 409 for a wrong offset, and nothing is changed', async () => {
    const { uri } = await issue();
    const location = await begin(uri, 10);
    await patch(location, 0, 'audio');
    for (const offset of [0, 4, 6, 10]) await refused(await patch(location, offset, 'x'), 409);
    expect(await offsetOf(location)).toBe(5);
    expect((await patch(location, 5, '12345')).status).toBe(204);
    expect(await clipOf('101')).toMatchObject({ digest: sha256('audio12345') });
  });

  it('B tus 460 for a part that has not its checksum; the part is dropped, the upload goes on', async () => {
    const { uri } = await issue();
    const location = await begin(uri, 10);
    for (const name of ['sha1', 'sha256', 'sha512']) {
      const wrong = createHash(name).update('other').digest('base64');
      await refused(await patch(location, 0, 'audio', { 'upload-checksum': `${name} ${wrong}` }), 460);
    }
    expect(await offsetOf(location)).toBe(0);
    const right = (text: string) => ({ 'upload-checksum': `sha1 ${createHash('sha1').update(text).digest('base64')}` });
    expect((await patch(location, 0, 'audio', right('audio'))).status).toBe(204);
    await refused(await patch(location, 5, '12345', { 'upload-checksum': 'md5 AAAA' }), 400);
    const digest = createHash('sha256').update('other').digest('base64');
    await refused(await patch(location, 5, '12345', { 'content-digest': `sha-256=:${digest}:` }), 400);
    expect(await stateOf(uri)).toMatchObject({ state: 'open', failedTries: 0 });
    expect((await patch(location, 5, '12345', right('12345'))).status).toBe(204);
    expect(await clipOf('101')).toMatchObject({ digest: sha256('audio12345') });
  });

  it('B tus DELETE ends an upload: 404 from then on, the grant is open', async () => {
    const { uri } = await issue();
    const location = await begin(uri, 10);
    await patch(location, 0, 'audio');
    expect((await send('DELETE', location)).status).toBe(204);
    await refused(await patch(location, 5, '12345'), 404);
    await refused(await send('DELETE', location), 404);
    expect(http.sql('select * from partial_upload_parts where upload_id = ?', location.split('/').pop() ?? '')).toEqual(
      [],
    );
    expect(await stateOf(uri)).toMatchObject({ state: 'open', failedTries: 0 });
  });

  it('B tus 412 for another version, 415 for another type, 400 for what cannot be read', async () => {
    const { uri } = await issue();
    const location = await begin(uri, 10);
    const old = await send('HEAD', location, { 'tus-resumable': '0.2.2' });
    expect([old.status, old.headers.get('tus-version')]).toEqual([412, '1.0.0']);
    await refused(await patch(location, 0, 'audio', { 'content-type': 'audio/wav' }), 415);
    await refused(await patch(location, 0, 'audio', { 'upload-offset': 'x' }), 400);
    await refused(await send('PATCH', location, { 'content-type': PART_TYPE }, 'audio'), 400);
    await refused(await send('POST', uri), 400);
    await refused(await send('POST', uri, { 'upload-length': '-1' }), 400);
    await refused(await send('POST', uri, { 'upload-defer-length': '1' }), 400);
    await refused(await create(uri, 5, { 'upload-metadata': 'a ?' }), 400);
    await refused(await create(uri, 5, { 'upload-concat': 'partial' }), 400);
    expect(await stateOf(uri)).toMatchObject({ state: 'open', failedTries: 0 });
  });

  it('B tus 413 at creation for what is too large, 400 for nothing at all; each is a failed try', async () => {
    const { uri } = await issue();
    await refused(await create(uri, 65_537), 413);
    await refused(await create(uri, 0), 400);
    expect(await stateOf(uri)).toMatchObject({ state: 'open', failedTries: 2 });
    const location = await begin(uri, 65_536);
    await refused(await patch(location, 0, 'x'.repeat(65_537)), 413);
    expect((await patch(location, 0, 'audio'.padEnd(65_536, 'x'))).status).toBe(204);
  });

  it('B tus 415 at the last PATCH for what is not audio: the grant is open, the try counts, the parts are gone', async () => {
    const { uri } = await issue();
    const location = await begin(uri, 8);
    await patch(location, 0, 'not ');
    await refused(await patch(location, 4, 'sung'), 415);
    expect(await stateOf(uri)).toMatchObject({ state: 'open', failedTries: 1 });
    await refused(await send('PATCH', location, { 'content-type': PART_TYPE, 'upload-offset': '7' }, 'g'), 404);
    const again = await begin(uri, 5);
    expect((await patch(again, 0, 'audio')).status).toBe(204);
  });

  it('B tus 503 and 507 at the last PATCH: the last octet is sent again and the upload is whole', async () => {
    for (const [failure, status] of [
      ['store_unavailable', 503],
      ['disk_full', 507],
    ] as const) {
      const { uri } = await issue();
      const location = await begin(uri, 10);
      await patch(location, 0, 'audio1234');
      http.switches.storeFailure = failure;
      const gone = await patch(location, 9, '5');
      http.switches.storeFailure = null;
      await refused(gone, status);
      expect(await stateOf(uri)).toMatchObject({ state: 'open', failedTries: 0 });
      expect(await offsetOf(location)).toBe(9);
      expect((await patch(location, 9, '5')).status).toBe(204);
      expect(await clipOf('101')).toMatchObject({ digest: sha256('audio12345') });
    }
  });

  it('B tus the log and the database hold no token and no grant id', async () => {
    const { uri, grantId } = await issue();
    const location = await begin(uri, 10, { 'upload-metadata': `grantid ${btoa(grantId)},filename ${btoa('a')}` });
    await patch(location, 0, 'audio');
    const text = JSON.stringify([http.logged, http.sql('select id, metadata from partial_uploads')]);
    expect(text).not.toContain(uri.split('/').pop());
    expect(text).not.toContain(grantId);
    expect((await send('HEAD', location)).headers.get('upload-metadata')).toBe(`filename ${btoa('a')}`);
  });
});
