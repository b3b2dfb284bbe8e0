import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applicationClient } from '../../test/support/application-client.ts';
import { type HttpFixture, OTHER_KEY, startHttp } from '../../test/support/http-fixture.ts';
import { operatorClient } from '../../test/support/operator-client.ts';
import { tusClient } from '../../test/support/tus-client.ts';
import { uploadClient } from '../../test/support/upload-client.ts';
import { sha256 } from './sha256.ts';

let http: HttpFixture;
beforeAll(async () => {
  http = await startHttp();
});
afterAll(() => http.close());

const { issue, put, clipOf } = uploadClient(() => http);
const { begin, patch } = tusClient(() => http);
const { call, json, get, expectProblem } = applicationClient(() => http);
const operator = operatorClient(() => http).call;
const CLIP = { sha256: sha256('audio'), bytes: 5, id: expect.any(String) };

describe('C grants', () => {
  it('C a grant tells who asked for it and what spent it, and never its secrets', async () => {
    const { uri, grantId } = await issue('103');
    const open = await get(`/api/v1/grants/${grantId}`);
    expect(open).toEqual({
      id: expect.stringMatching(/^[1-9][0-9]*$/),
      mediaId: '103',
      applicationId: '1',
      appKeyId: expect.any(String),
      state: 'open',
      issuedAt: expect.stringMatching(/Z$/),
      expiresAt: expect.stringMatching(/Z$/),
      claimedAt: null,
      remoteAddress: null,
      spentAt: null,
      revokedAt: null,
      failedTries: 0,
      clip: null,
    });
    expect((await put(uri, 'noise')).status).toBe(415);
    expect((await put(uri, 'audio')).status).toBe(201);
    const response = await call('GET', `/api/v1/grants/${open.id}`);
    const text = await response.text();
    expect(text).not.toContain(grantId);
    expect(text).not.toContain(uri.split('/').pop());
    expect(JSON.parse(text)).toMatchObject({ state: 'spent', remoteAddress: '127.0.0.1', failedTries: 1, clip: CLIP });
    expect(JSON.parse(text).clip.id).toBe((await clipOf('103'))?.id);
  });

  it('C the record of a resumable upload is that of its last PATCH', async () => {
    const { uri, grantId } = await issue('102');
    await patch(await begin(uri, 5), 0, 'audio');
    expect(await get(`/api/v1/grants/${grantId}`)).toMatchObject({
      state: 'spent',
      remoteAddress: '127.0.0.1',
      clip: CLIP,
    });
  });

  it('C grants are listed newest first, by media, and only to their application and the operator', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) ids.push((await get(`/api/v1/grants/${(await issue('900')).grantId}`)).id);
    const first = await get('/api/v1/grants?mediaId=900&limit=2');
    const rest = await get(`/api/v1/grants?mediaId=900&limit=2&cursor=${first.next}`);
    expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual(ids.toReversed());
    expect((await get('/api/v1/grants', OTHER_KEY)).items).toEqual([]);
    const path = `/grants/${ids[0]}`;
    await expectProblem(await call('GET', `/api/v1${path}`, { key: OTHER_KEY }), 404);
    await expectProblem(await call('POST', `/api/v1${path}/revoke`, { key: OTHER_KEY }), 404);
    for (const id of ['0', 'x', '99999', '1'.repeat(20)])
      await expectProblem(await call('GET', `/api/v1/grants/${id}`), 404);
    expect((await json(await operator('GET', path))).id).toBe(ids[0]);
    expect((await json(await operator('GET', '/grants?mediaId=900'))).items).toHaveLength(3);
  });

  it.each(['application', 'operator'])('C a grant revoked by its %s is 410, and stays so', async (who) => {
    const { uri, grantId } = await issue();
    const revoke = () =>
      who === 'operator'
        ? operator('POST', `/grants/${grantId}/revoke`)
        : call('POST', `/api/v1/grants/${grantId}/revoke`);
    for (const _ of [1, 2]) {
      const answer = await revoke();
      expect([answer.status, await json(answer)]).toMatchObject([
        200,
        { state: 'revoked', revokedAt: expect.any(String) },
      ]);
    }
    expect((await put(uri, 'audio')).status).toBe(410);
  });

  it('C 409 for revoking a grant that is spent', async () => {
    const { uri, grantId } = await issue();
    await put(uri, 'audio');
    await expectProblem(await call('POST', `/api/v1/grants/${grantId}/revoke`), 409);
    expect(await get(`/api/v1/grants/${grantId}`)).toMatchObject({ state: 'spent', revokedAt: null });
  });
});

it('B 410 when the grant is revoked while its upload is being received, and nothing is kept', async () => {
  const { uri, grantId } = await issue('103');
  const before = await clipOf('103');
  let go = (): void => {};
  const body = new ReadableStream({
    async start(controller) {
      controller.enqueue(Buffer.from('audio'));
      await new Promise<void>((resolve) => {
        go = resolve;
      });
      controller.close();
    },
  });
  const answer = fetch(http.publicUrl + uri, { method: 'PUT', body, duplex: 'half' } as RequestInit);
  while ((await get(`/api/v1/grants/${grantId}`)).state !== 'claimed') await new Promise((next) => setImmediate(next));
  expect((await call('POST', `/api/v1/grants/${grantId}/revoke`)).status).toBe(200);
  go();
  expect((await answer).status).toBe(410);
  expect(await clipOf('103')).toEqual(before);
});

it('B 201 for two grants on one media: both are spent, and the last to complete is current', async () => {
  const [first, second] = [await issue('101'), await issue('101')];
  const slow = await begin(first.uri, 10);
  await patch(slow, 0, 'audio');
  expect((await put(second.uri, 'audio of the second')).status).toBe(201);
  expect((await clipOf('101'))?.digest).toBe(sha256('audio of the second'));
  expect((await patch(slow, 5, 'first')).status).toBe(204);
  expect((await clipOf('101'))?.digest).toBe(sha256('audiofirst'));
  for (const { grantId } of [first, second])
    expect(await get(`/api/v1/grants/${grantId}`)).toMatchObject({ state: 'spent' });
});
