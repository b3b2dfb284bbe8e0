import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpFixture, startHttp } from '../../test/support/http-fixture.ts';
import { expectProblem, json, operatorClient } from '../../test/support/operator-client.ts';

let http: HttpFixture;
beforeAll(async () => {
  http = await startHttp();
});
afterAll(() => http.close());

const { call, created } = operatorClient(() => http);

const isCaller = async (secret: string): Promise<boolean> =>
  (await http.store.view((views) => views.findCaller(secret))) !== null;

describe('D applications', () => {
  it('D POST allocates an id and shows a key this once', async () => {
    const { id, appKey, ...rest } = await created('/applications', { name: 'Alarm' });
    expect(id).toMatch(/^[0-9]+$/);
    expect(appKey).toEqual({ id: expect.any(String), secret: expect.any(String) });
    expect(appKey.secret.length).toBeGreaterThanOrEqual(16);
    expect(rest).toEqual({
      name: 'Alarm',
      defaultGreetingId: null,
      retry: { maxAttempts: 1, delaySeconds: 60, on: [] },
      priority: 1,
      maxConcurrentCalls: null,
      callsPerSecond: null,
      dialBySeconds: 3600,
      leadInMs: 300,
      gapMs: 400,
      tailMs: 200,
      createdAt: expect.stringMatching(/Z$/),
    });
    expect(await isCaller(appKey.secret)).toBe(true);
    const read = await json(await call('GET', `/applications/${id}`));
    expect(read).toEqual({ id, ...rest });
  });

  it('D PUT says how its calls are dialled, within bounds', async () => {
    const { id } = await created('/applications', { name: 'Slow' });
    const dialling = { priority: 3, maxConcurrentCalls: 20, callsPerSecond: 5, dialBySeconds: 600 };
    expect(await json(await call('PUT', `/applications/${id}`, { name: 'Slow', ...dialling }))).toMatchObject(dialling);
    for (const [field, value] of [
      ['priority', 0],
      ['priority', 11],
      ['maxConcurrentCalls', 0],
      ['callsPerSecond', 0],
      ['dialBySeconds', 86_401],
    ] as const)
      await expectProblem(await call('PUT', `/applications/${id}`, { name: 'Slow', [field]: value }), 422, field);
  });

  it('D PUT says how much silence is around its clips, within bounds and in whole frames', async () => {
    const { id } = await created('/applications', { name: 'Patient', leadInMs: 1000 });
    const silences = { leadInMs: 5000, gapMs: 0, tailMs: 20 };
    expect(await json(await call('PUT', `/applications/${id}`, { name: 'Patient', ...silences }))).toMatchObject(
      silences,
    );
    for (const [field, value] of [
      ['leadInMs', 5020],
      ['gapMs', -20],
      ['tailMs', 30],
    ] as const)
      await expectProblem(await call('PUT', `/applications/${id}`, { name: 'Patient', [field]: value }), 422, field);
  });

  it('D POST takes an id and an existing key', async () => {
    const secret = 'k'.repeat(16);
    const { id, appKey } = await created('/applications', { id: 'crm_7.x-y', name: 'CRM', appKey: secret });
    expect([id, appKey.secret]).toEqual(['crm_7.x-y', secret]);
    expect(await isCaller(secret)).toBe(true);
    await expectProblem(await call('POST', '/applications', { id, name: 'again' }), 409, 'id');
    await expectProblem(await call('POST', '/applications', { name: 'same key', appKey: secret }), 409, 'appKey');
  });

  it.each<[string, unknown, string]>([
    ['no name', {}, 'name'],
    ['a blank name', { name: ' ' }, 'name'],
    ['a name that is no text', { name: 1 }, 'name'],
    ['a name with control characters', { name: 'a\u0007' }, 'name'],
    ['an id outside the grammar', { name: 'x', id: 'a b' }, 'id'],
    ['a short key', { name: 'x', appKey: 'k'.repeat(15) }, 'appKey'],
    ['a key in white space', { name: 'x', appKey: ` ${'k'.repeat(16)}` }, 'appKey'],
    ['a greeting that does not exist', { name: 'x', defaultGreetingId: '999' }, 'defaultGreetingId'],
    ['a greeting that holds no clip', { name: 'x', defaultGreetingId: '103' }, 'defaultGreetingId'],
    ['too many attempts', { name: 'x', retry: { maxAttempts: 11 } }, 'retry.maxAttempts'],
    ['half an attempt', { name: 'x', retry: { maxAttempts: 1.5 } }, 'retry.maxAttempts'],
    ['a delay below nothing', { name: 'x', retry: { delaySeconds: -1 } }, 'retry.delaySeconds'],
    ['a retry after an answer', { name: 'x', retry: { on: ['hung_up'] } }, 'retry.on'],
    ['a misspelt member', { name: 'x', defaultGreetingID: null }, 'defaultGreetingID'],
  ])('D 422 for %s', async (_, body, field) => {
    const before = http.sql('SELECT count(*) AS n FROM applications');
    await expectProblem(await call('POST', '/applications', body), 422, field);
    expect(http.sql('SELECT count(*) AS n FROM applications')).toEqual(before);
  });

  it('D a default greeting must hold a clip but need not be associated', async () => {
    const application = await created('/applications', {
      name: 'x',
      defaultGreetingId: '201',
      retry: { maxAttempts: 3 },
    });
    expect(application).toMatchObject({
      defaultGreetingId: '201',
      retry: { maxAttempts: 3, delaySeconds: 60, on: ['busy', 'no_answer', 'unreachable'] },
    });
    await expectProblem(await call('DELETE', '/media/201'), 409);
    expect((await call('DELETE', `/applications/${application.id}`)).status).toBe(204);
  });

  it('D PUT replaces, DELETE removes, and what was read can be sent back', async () => {
    const { id, appKey } = await created('/applications', { name: 'x', retry: { maxAttempts: 2 } });
    const read = await json(await call('GET', `/applications/${id}`));
    const same = await call('PUT', `/applications/${id}`, read);
    expect([same.status, await json(same)]).toEqual([200, read]);
    const replaced = await json(await call('PUT', `/applications/${id}`, { name: 'y' }));
    expect(replaced).toMatchObject({ id, name: 'y', retry: { maxAttempts: 1 } });
    await expectProblem(await call('PUT', `/applications/${id}`, { id: 'other', name: 'y' }), 422, 'id');
    await expectProblem(await call('PUT', `/applications/${id}`, { name: 'y', appKey: 'k'.repeat(20) }), 422, 'appKey');
    expect((await call('DELETE', `/applications/${id}`)).status).toBe(204);
    expect(await isCaller(appKey.secret)).toBe(false);
    for (const method of ['GET', 'DELETE']) await expectProblem(await call(method, `/applications/${id}`), 404);
    await expectProblem(await call('PUT', `/applications/${id}`, { name: 'y' }), 404);
  });

  it('D keys are added and revoked', async () => {
    const { id } = await created('/applications', { name: 'x' });
    const key = await created(`/applications/${id}/app-keys`, undefined);
    expect(Object.keys(key)).toEqual(['id', 'secret']);
    expect(await isCaller(key.secret)).toBe(true);
    const imported = await created(`/applications/${id}/app-keys`, { appKey: 'imported-key-number-1' });
    expect(imported.secret).toBe('imported-key-number-1');
    await expectProblem(await call('POST', `/applications/${id}/app-keys`, { appKey: 'short' }), 422, 'appKey');
    expect((await call('DELETE', `/applications/${id}/app-keys/${key.id}`)).status).toBe(204);
    expect(await isCaller(key.secret)).toBe(false);
    await expectProblem(await call('DELETE', `/applications/${id}/app-keys/${key.id}`), 404);
    await expectProblem(await call('DELETE', `/applications/1/app-keys/${imported.id}`), 404);
    await expectProblem(await call('POST', '/applications/nobody/app-keys'), 404);
  });

  it('D lists have pages, newest first', async () => {
    const { items, next } = await json(await call('GET', '/applications?limit=1'));
    expect(items).toHaveLength(1);
    const rest = await json(await call('GET', `/applications?limit=100&cursor=${next}`));
    expect(rest.items.at(-1).id).toBe('1');
    expect(rest.next).toBeNull();
    await expectProblem(await call('GET', '/applications?limit=1000'), 400, 'limit');
  });
});

describe('D settings', () => {
  it('D GET and PUT', async () => {
    expect(await json(await call('GET', '/settings'))).toEqual({ defaultGreetingId: null });
    const put = await call('PUT', '/settings', { defaultGreetingId: '900' });
    expect([put.status, await json(put)]).toEqual([200, { defaultGreetingId: '900' }]);
    expect(await json(await call('GET', '/settings'))).toEqual({ defaultGreetingId: '900' });
    await expectProblem(await call('PUT', '/settings', { defaultGreetingId: '103' }), 422, 'defaultGreetingId');
    await expectProblem(await call('PUT', '/settings', {}), 422, 'defaultGreetingId');
    expect((await call('PUT', '/settings', { defaultGreetingId: null })).status).toBe(200);
  });
});
