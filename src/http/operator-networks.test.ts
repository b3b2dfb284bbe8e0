import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpFixture, startHttp } from '../../test/support/http-fixture.ts';
import { expectProblem, json, operatorClient, TRUNK } from '../../test/support/operator-client.ts';

let http: HttpFixture;
beforeAll(async () => {
  http = await startHttp();
});
afterAll(() => http.close());

const { call, created } = operatorClient(() => http);

describe('D networks', () => {
  it('D POST with numbers over a trunk, and with SIP phones dialled directly', async () => {
    await created('/trunks', { ...TRUNK, id: 'uk', allowedPrefixes: ['+44'] });
    await created('/trunks', { ...TRUNK, id: 'us', allowedPrefixes: ['+1'] });
    const body = {
      id: 'n-1',
      name: 'Both',
      destinations: ['+15551230000', '+442071838750', 'sip:bob@192.0.2.7:5070'],
      trunkIds: ['us', 'uk'],
      callerId: 'alice',
      applicationIds: ['1', '2'],
    };
    const network = await created('/networks', body);
    expect(network).toEqual({ ...body, createdAt: expect.stringMatching(/Z$/) });
    const refreshes = http.counters.refreshes;
    const direct = await created('/networks', { destinations: ['sip:bob@192.0.2.7:5070;transport=udp'] });
    expect(direct).toMatchObject({ name: '', trunkIds: [], callerId: null, applicationIds: [] });
    expect(http.counters.refreshes).toBe(refreshes + 1);
    await expectProblem(await call('POST', '/networks', body), 409, 'id');
    const { items } = await json(await call('GET', '/networks?limit=2'));
    expect(items).toEqual([direct, network]);
  });

  it('D PUT replaces and DELETE removes', async () => {
    const { id, ...read } = await created('/networks', { destinations: ['sip:a@h'], applicationIds: ['1'] });
    const same = await call('PUT', `/networks/${id}`, { id, ...read });
    expect([same.status, await json(same)]).toEqual([200, { id, ...read }]);
    const replaced = await json(await call('PUT', `/networks/${id}`, { destinations: ['sip:b@h'] }));
    expect(replaced).toMatchObject({ id, destinations: ['sip:b@h'], applicationIds: [] });
    expect((await call('DELETE', `/networks/${id}`)).status).toBe(204);
    for (const method of ['GET', 'DELETE']) await expectProblem(await call(method, `/networks/${id}`), 404);
    await expectProblem(await call('PUT', `/networks/${id}`, { destinations: ['sip:b@h'] }), 404);
  });

  it('D PUT and DELETE …/applications/{applicationId} associate and dissociate', async () => {
    const { id } = await created('/networks', { destinations: ['sip:a@h'] });
    const put = await call('PUT', `/networks/${id}/applications/1`);
    expect([put.status, (await json(put)).applicationIds]).toEqual([200, ['1']]);
    expect((await call('PUT', `/networks/${id}/applications/1`)).status).toBe(200);
    expect((await call('DELETE', `/networks/${id}/applications/1`)).status).toBe(204);
    expect((await json(await call('GET', `/networks/${id}`))).applicationIds).toEqual([]);
    expect((await call('DELETE', `/networks/${id}/applications/1`)).status).toBe(204);
    await expectProblem(await call('DELETE', `/networks/${id}/applications/nobody`), 404);
    await expectProblem(await call('PUT', `/networks/${id}/applications/nobody`), 404);
    await expectProblem(await call('PUT', '/networks/nowhere/applications/1'), 404);
  });

  it('D takes 100,000 destinations, and not one more', async () => {
    const destinations = Array.from({ length: 100_001 }, (_, n) => `sip:phone-${n}@192.0.2.7`);
    await expectProblem(await call('POST', '/networks', { destinations }), 422, 'destinations');
    const { id } = await created('/networks', { destinations: destinations.slice(1) });
    expect((await json(await call('GET', `/networks/${id}`))).destinations).toHaveLength(100_000);
    expect((await call('DELETE', `/networks/${id}`)).status).toBe(204);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['no destinations', { destinations: undefined }, 'destinations'],
    ['a number that is not E.164', { destinations: ['015551234'] }, 'destinations'],
    ['a URI that is none', { destinations: ['sip:a b@h'] }, 'destinations'],
    ['a URI that ends a SIP line', { destinations: ['sip:a@h\r\nVia: x'] }, 'destinations'],
    ['a destination that is no text', { destinations: [5] }, 'destinations.0'],
    ['a number without a trunk', { destinations: ['+15551234'] }, 'trunkIds'],
    ['a number that no trunk allows', { destinations: ['+3312345'], trunkIds: ['uk', 'us'] }, 'destinations'],
    ['a secure URI over UDP', { destinations: ['sips:a@h;transport=udp'] }, 'destinations'],
    ['another transport', { destinations: ['sip:a@h;transport=SCTP'] }, 'destinations'],
    ['an unknown trunk', { destinations: ['sip:a@h'], trunkIds: ['nowhere'] }, 'trunkIds'],
    ['the same trunk twice', { destinations: ['sip:a@h'], trunkIds: ['uk', 'uk'] }, 'trunkIds'],
    ['an unknown application', { destinations: ['sip:a@h'], applicationIds: ['nobody'] }, 'applicationIds'],
    ['a bad caller', { destinations: ['sip:a@h'], callerId: 'a b' }, 'callerId'],
    ['a bad id', { destinations: ['sip:a@h'], id: '' }, 'id'],
  ])('D 422 for %s', async (_, body, field) => {
    await expectProblem(await call('POST', '/networks', body), 422, field);
  });
});
