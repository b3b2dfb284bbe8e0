import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpFixture, KEY, OPERATOR_TOKEN, startHttp } from '../../test/support/http-fixture.ts';
import { expectProblem, json, operatorClient } from '../../test/support/operator-client.ts';
import { sendRaw } from '../../test/support/raw-http.ts';

let http: HttpFixture;
beforeAll(async () => {
  http = await startHttp();
});
afterAll(() => http.close());

const { call, created } = operatorClient(() => http);

describe('D the operator token', () => {
  it('D 401 with a challenge without it, on every path', async () => {
    for (const path of ['/operator/v1/applications', '/operator/v1/nothing', '/', '/operator/v1/blasts/1']) {
      for (const authorization of ['', 'Bearer x', `Bearer ${OPERATOR_TOKEN}x`, `Bearer ${KEY}`, OPERATOR_TOKEN]) {
        const response = await fetch(http.operatorUrl + path, { headers: { authorization } });
        expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
        await expectProblem(response, 401);
      }
    }
  });

  it('D 401 before anything of the body is read, audio included', async () => {
    for (const [method, path] of [
      ['POST', '/applications'],
      ['PUT', '/media/101/audio'],
    ]) {
      const response = await fetch(`${http.operatorUrl}/operator/v1${path}`, { method: method ?? '', body: 'x' });
      await expectProblem(response, 401);
    }
  });

  it('D 404 and 405 are problem documents, guarded like any answer', async () => {
    await expectProblem(await call('GET', '/nothing'), 404);
    const response = await call('PATCH', '/settings', {});
    expect(response.headers.get('allow')).toBe('GET, HEAD, PUT');
    expect(response.headers.get('cache-control')).toBe('no-store');
    await expectProblem(response, 405);
    const unreadable = await sendRaw(http.operatorPort, 'nonsense\r\n\r\n');
    expect([unreadable.status, JSON.parse(unreadable.body).status]).toEqual([400, 400]);
  });
});

describe('D media', () => {
  it('D POST with and without an id; GET lists and reads', async () => {
    const media = await created('/media', { id: 'hello_1.x', name: 'Hello', applicationIds: ['1'] });
    expect(media).toEqual({
      id: 'hello_1.x',
      name: 'Hello',
      processing: { level: true, trim: true, telephoneBand: false },
      applicationIds: ['1'],
      clip: null,
      createdAt: expect.stringMatching(/Z$/),
    });
    const { id } = await created('/media', undefined);
    expect(id).toMatch(/^[0-9]+$/);
    const { items } = await json(await call('GET', '/media?limit=2'));
    expect(items.map((item: { id: string }) => item.id)).toEqual([id, 'hello_1.x']);
    await expectProblem(await call('POST', '/media', { id }), 409, 'id');
    expect((await call('DELETE', `/media/${id}`)).status).toBe(204);
    for (const method of ['GET', 'DELETE']) await expectProblem(await call(method, `/media/${id}`), 404);
  });

  it('D PUT …/audio uploads without a grant, whatever the declared type', async () => {
    const { id } = await created('/media', {});
    const put = (body: string, type: string) =>
      fetch(`${http.operatorUrl}/operator/v1/media/${id}/audio`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': type },
        body,
      });
    const response = await put('audio', 'nonsense;;');
    expect([response.status, (await json(response)).clip]).toMatchObject([200, { bytes: 5, durationMs: 20 }]);
    await expectProblem(await put('text', 'audio/wav'), 415);
    await expectProblem(await put('', 'audio/wav'), 400);
    await expectProblem(await put('audio'.padEnd(65_537), 'application/json'), 413);
    expect((await json(await call('GET', `/media/${id}`))).clip.bytes).toBe(5);
    const nowhere = `${http.operatorUrl}/operator/v1/media/nowhere/audio`;
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
    await expectProblem(await fetch(nowhere, { method: 'PUT', headers, body: 'audio' }), 404);
    expect(await http.scratchFiles()).toEqual([]);
  });

  it('D PUT and DELETE …/applications/{applicationId} associate and dissociate', async () => {
    const { id } = await created('/media', {});
    const put = await call('PUT', `/media/${id}/applications/2`);
    expect([put.status, (await json(put)).applicationIds]).toEqual([200, ['2']]);
    expect((await call('DELETE', `/media/${id}/applications/2`)).status).toBe(204);
    expect((await call('DELETE', `/media/${id}/applications/2`)).status).toBe(204);
    await expectProblem(await call('DELETE', `/media/${id}/applications/nobody`), 404);
    await expectProblem(await call('PUT', `/media/${id}/applications/nobody`), 404);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['a hyphen in the id', { id: 'a-b' }, 'id'],
    ['an id of 65 characters', { id: 'x'.repeat(65) }, 'id'],
    ['an unknown application', { applicationIds: ['nobody'] }, 'applicationIds'],
    ['a name that is too long', { name: 'x'.repeat(201) }, 'name'],
  ])('D 422 for %s', async (_, body, field) => {
    await expectProblem(await call('POST', '/media', body), 422, field);
  });
});

describe('D blasts and calls', () => {
  it('D shows those of every application', async () => {
    const form = new URLSearchParams({ action: 'blast', appkey: KEY, networkid: '1' });
    const response = await fetch(`${http.publicUrl}/api/rest/media/101`, { method: 'POST', body: form });
    const id = response.headers.get('location')?.split('/').pop();
    const blast = await json(await call('GET', `/blasts/${id}`));
    expect(blast).toMatchObject({ id, applicationId: '1', calls: [{ state: 'waiting' }, { state: 'waiting' }] });
    expect((await json(await call('GET', '/blasts'))).items[0]).toEqual(blast);
    await expectProblem(await call('GET', '/blasts/1'), 404);
    const { items } = await json(await call('GET', '/calls?limit=2'));
    expect(items.map((item: { blastId: string }) => item.blastId)).toEqual([id, id]);
    expect(items[0]).toMatchObject({ state: 'waiting', outcome: null, attempts: [] });
  });
});
