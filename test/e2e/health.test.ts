import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPhone } from '../../src/phone/phone.ts';
import { startRingcast, type TestServer } from '../support/ringcast.ts';
import { makeScenario, must, toneWav, uploadMedia } from '../support/scenario.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startRingcast();
});
afterAll(() => server?.close());

const openAt = (port: number) =>
  openPhone({
    listen: { address: '127.0.0.1', port },
    recordDirectory: null,
    answerAfterMs: 0,
    behaviour: 'busy',
  });

it('A9 502 while trunk or phone do not answer OPTIONS, 202 once they do; outsiders get their 404 all the while', async () => {
  const once = await openAt(0);
  await once.close();
  const trunk = { host: '127.0.0.1', port: once.port, allowedPrefixes: ['+'] };
  const trunkId = must(201, await server.api.operator('POST', '/trunks', trunk)).id;
  const { appKey, networkId, applicationId } = await makeScenario(server.api, [once.uri]);
  const numbers = { destinations: ['+15551230000'], trunkIds: [trunkId], applicationIds: [applicationId] };
  const overTrunk = must(201, await server.api.operator('POST', '/networks', numbers)).id;
  const mediaId = await uploadMedia(server.api, appKey, toneWav(440, 5));
  const blast = (networkid: string) => server.api.blast(mediaId, { networkid, appkey: appKey });

  await trunkIs(trunkId, 'down');
  for (const networkid of [networkId, overTrunk]) {
    const refused = await blast(networkid);
    expect(refused.body).toEqual({
      MediaResponse: { message: expect.any(String), status: 502, downloadUrl: '', fileSize: 0, mediaId: '', uri: '' },
    });
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([502, true]);
  }
  expect((await blast('no-such-network')).status).toBe(404);
  expect(must(200, await server.api.application('GET', '/blasts', appKey)).items).toEqual([]);

  const phone = await openAt(once.port);
  await trunkIs(trunkId, 'up');
  for (const networkid of [networkId, overTrunk]) must(202, await blast(networkid));
  await phone.close();
}, 60_000);

/** Polls; a probe takes 4 s to be given up, and the next comes 5 s later. */
const trunkIs = async (id: string, state: string): Promise<void> => {
  while (must(200, await server.api.operator('GET', `/trunks/${id}`)).state !== state);
};
