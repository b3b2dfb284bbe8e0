import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applicationClient } from '../../test/support/application-client.ts';
import { type HttpFixture, OTHER_KEY, startHttp } from '../../test/support/http-fixture.ts';
import { operatorClient } from '../../test/support/operator-client.ts';

describe('webhooks', () => {
  let server: HttpFixture;
  beforeEach(async () => {
    server = await startHttp();
  });
  afterEach(() => server.close());
  const client = applicationClient(() => server);
  const operator = operatorClient(() => server);
  const URL = 'https://hooks.example.org/ringcast';
  const add = async (body: object = { url: URL }) => {
    const response = await client.call('POST', '/api/v1/webhooks', { body });
    expect(response.status).toBe(201);
    return client.json(response);
  };

  it('are added, read, replaced and deleted; the secret is shown once', async () => {
    const { secret, ...webhook } = await add({ url: URL, types: ['call.finished'] });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
    expect(webhook).toEqual({
      id: '101',
      url: URL,
      types: ['call.finished'],
      disabled: false,
      disabledReason: null,
      failingSince: null,
      previousSecretUntil: null,
      createdAt: expect.stringMatching(/Z$/),
    });
    const path = '/api/v1/webhooks/101';
    expect(await client.get(path)).toEqual(webhook);
    const changed = await client.call('PUT', path, { body: { ...webhook, types: null, disabled: true } });
    expect(await client.json(changed)).toEqual({ ...webhook, types: null, disabled: true, disabledReason: 'asked' });
    expect(await client.get('/api/v1/webhooks')).toMatchObject({ items: [{ id: '101', disabled: true }], next: null });
    expect((await client.call('DELETE', path)).status).toBe(204);
    await client.expectProblem(await client.call('GET', path), 404);
  });

  it('are the same for the operator', async () => {
    const made = await operator.created('/applications/1/webhooks', { url: URL });
    expect(await client.get(`/api/v1/webhooks/${made.id}`)).toMatchObject({ url: URL });
    const path = `/applications/1/webhooks/${made.id}`;
    expect((await operator.call('GET', path)).status).toBe(200);
    expect((await operator.call('POST', `${path}/rotate`)).status).toBe(200);
    expect((await operator.call('GET', `/applications/2/webhooks/${made.id}`)).status).toBe(404);
    expect((await operator.call('GET', '/applications/nobody/webhooks')).status).toBe(404);
    expect((await operator.call('POST', '/applications/nobody/webhooks', { url: URL })).status).toBe(404);
    expect((await operator.call('DELETE', path)).status).toBe(204);
  });

  it('of another application are not found by any verb', async () => {
    const { id } = await add();
    const path = `/api/v1/webhooks/${id}`;
    for (const [method, rest, body] of [
      ['GET', '', undefined],
      ['PUT', '', { url: URL }],
      ['DELETE', '', undefined],
      ['POST', '/rotate', undefined],
      ['POST', '/replay', { since: '2026-01-01' }],
    ] as const)
      await client.expectProblem(await client.call(method, path + rest, { key: OTHER_KEY, body }), 404);
  });

  it.each([
    [{ url: 'ftp://x.test/' }, 'url'],
    [{ url: 'https://user:password@x.test/' }, 'url'],
    [{ url: 'not a url' }, 'url'],
    [{ url: `https://x.test/${'x'.repeat(2000)}` }, 'url'],
    [{ url: URL, types: [] }, 'types'],
    [{ url: URL, types: ['call.unknown'] }, 'types'],
    [{ url: URL, types: ['call.digit', 'call.digit'] }, 'types'],
    [{ url: URL, typo: 1 }, 'typo'],
    [{}, 'url'],
  ])('are refused when they cannot be: %j', async (body, field) => {
    await client.expectProblem(await client.call('POST', '/api/v1/webhooks', { body }), 422, field);
  });

  it('are ten at most', async () => {
    for (let number = 0; number < 10; number++) await add();
    await client.expectProblem(await client.call('POST', '/api/v1/webhooks', { body: { url: URL } }), 409);
  });

  it('get a new secret, and events once more', async () => {
    const { id, secret } = await add();
    const rotated = await client.json(await client.call('POST', `/api/v1/webhooks/${id}/rotate`));
    expect(rotated.secret).not.toBe(secret);
    expect(Date.parse(rotated.previousSecretUntil)).toBeGreaterThan(Date.parse(rotated.createdAt));
    await server.publish();
    const replay = (body: object) => client.call('POST', `/api/v1/webhooks/${id}/replay`, { body });
    // The clips of the fixture, which were there before the webhook or are queued already.
    expect(await client.json(await replay({ since: '2020-01-01' }))).toEqual({
      queued: expect.any(Number),
      next: null,
    });
    expect(server.sql('select count(*) as count from webhook_deliveries')).toEqual([{ count: 3 }]);
    await client.expectProblem(await replay({ since: 'yesterday' }), 422, 'since');
    await client.expectProblem(await replay({ since: '2020-01-01', after: 'x' }), 422, 'after');
  });
});
