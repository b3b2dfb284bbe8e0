import { expect, it, onTestFinished } from 'vitest';
import { type Json, startRingcast } from '../support/ringcast.ts';
import { blastIdOf, blastUntil, makeScenario, must, toneWav, uploadMedia } from '../support/scenario.ts';
import { openTestPhone } from '../support/test-phone.ts';
import { essenceOf, noiseClip, openCaller } from './caller.ts';
import { CREDENTIALS, startProxy } from './kamailio-proxy.ts';
import { describeWithPeer } from './peer-program.ts';

const NUMBER = '+15551230000';

describeWithPeer('kamailio', 'kamailio', () => {
  it.each([
    ['MD5', 'www'],
    ['MD5', 'proxy'],
    ['SHA-256', 'www'],
    ['SHA-256', 'proxy'],
  ] as const)('lets us in with %s (%s), and again with the same nonce', async (algorithm, challenge) => {
    const { phone, until } = await openTestPhone();
    const kamailio = await startProxy({ algorithm, challenge, phone: phone.uri });
    const caller = await openCaller();
    await caller.untilUp(kamailio.trunk.port);
    for (let nth = 1; nth <= 2; nth++) {
      const result = await caller.ring(NUMBER, { trunk: kamailio.trunk, clips: [noiseClip('a', 10)] }).result;
      expect(essenceOf(result)).toEqual({ outcome: 'completed', sipStatus: 200, codec: 'PCMU', framesSent: [10] });
      expect(await until('ended', nth)).toMatchObject({ how: 'bye' });
    }
    expect(kamailio.verdicts()).toEqual([
      'REFUSED INVITE',
      'LET IN INVITE',
      'LET IN BYE',
      'LET IN INVITE',
      'LET IN BYE',
    ]);
  });

  it.each(['MD5', 'SHA-256'] as const)('keeps a wrong password out, after two INVITEs (%s)', async (algorithm) => {
    const { phone, events } = await openTestPhone();
    const kamailio = await startProxy({ algorithm, challenge: 'proxy', phone: phone.uri });
    const caller = await openCaller();
    await caller.untilUp(kamailio.trunk.port);
    const trunk = { ...kamailio.trunk, credentials: { ...CREDENTIALS, password: 'wrong horse' } };
    const result = await caller.ring(NUMBER, { trunk, clips: [noiseClip('a', 10)] }).result;
    expect(result).toMatchObject({
      outcome: 'rejected',
      sipStatus: 407,
      sipReason: expect.stringMatching(/^The trunk refused the user name or password/),
    });
    expect(kamailio.verdicts()).toEqual(['REFUSED INVITE', 'REFUSED INVITE']);
    expect(events).toEqual([]);
  });

  it('tells in words what a wrong password is, leaves the trunk alone, and calls when it is mended', async () => {
    const { phone } = await openTestPhone();
    const kamailio = await startProxy({ algorithm: 'SHA-256', challenge: 'www', phone: phone.uri });
    const server = await startRingcast();
    onTestFinished(() => server.close());
    const { api } = server;
    const { host, port } = kamailio.trunk;
    const trunk = { host, port, allowedPrefixes: ['+'], username: CREDENTIALS.username, password: 'wrong horse' };
    const trunkId = must(201, await api.operator('POST', '/trunks', trunk)).id;
    const readTrunk = async () => must(200, await api.operator('GET', `/trunks/${trunkId}`));
    const { appKey, applicationId } = await makeScenario(api, [phone.uri]);
    const numbers = { destinations: [NUMBER], trunkIds: [trunkId], applicationIds: [applicationId] };
    const networkId = must(201, await api.operator('POST', '/networks', numbers)).id;
    const mediaId = await uploadMedia(api, appKey, toneWav(440, 5));
    const blast = () => api.blast(mediaId, { networkid: networkId, appkey: appKey });
    const isOver = (blast: Json): boolean => blast.state === 'finished';
    while ((await readTrunk()).state !== 'up');

    const rejected = await blastUntil(api, appKey, blastIdOf(await blast()), isOver);
    expect(rejected.calls[0]).toMatchObject({
      outcome: 'rejected',
      attempts: [{ sipStatus: 401, sipReason: expect.stringMatching(/refused the user name or password/) }],
    });
    expect(kamailio.verdicts()).toEqual(['REFUSED INVITE', 'REFUSED INVITE']);
    expect(await readTrunk()).toMatchObject({
      state: 'down',
      stateReason: expect.stringMatching(/^The trunk refused the user name or password/),
    });
    expect((await blast()).status).toBe(502);

    must(200, await api.operator('PUT', `/trunks/${trunkId}`, { ...trunk, password: CREDENTIALS.password }));
    expect(await readTrunk()).toMatchObject({ state: 'up', stateReason: null });
    const completed = await blastUntil(api, appKey, blastIdOf(await blast()), isOver);
    expect(completed.calls[0].outcome).toBe('completed');
  });
});
