import { expect, it, onTestFinished } from 'vitest';
import { createAuthority } from '../support/certificates.ts';
import { type Json, startRingcast } from '../support/ringcast.ts';
import { must } from '../support/scenario.ts';
import { openTestPhone } from '../support/test-phone.ts';
import { essenceOf, noiseClip, openCaller } from './caller.ts';
import { type KamailioProxy, startProxy } from './kamailio-proxy.ts';
import { describeWithPeer } from './peer-program.ts';

const NUMBER = '+15551230000';
/** Found in the hosts file; what the certificate of a trunk has to name. */
const HOST = 'localhost';
const PROXY = { algorithm: 'SHA-256', challenge: 'proxy' } as const;

const trunkOf = ({ trunk, tlsPort }: KamailioProxy) => ({
  ...trunk,
  host: HOST,
  port: tlsPort,
  transport: 'tls' as const,
});

describeWithPeer('/usr/lib/*/kamailio/modules/tls.so', 'kamailio kamailio-tls-modules', () => {
  it('proves its name to us and we ours to it, lets us in with digest, and stays in the dialog', async () => {
    const authority = await createAuthority();
    const [theirs, ours] = [
      await authority.issue('kamailio', `DNS:${HOST}`),
      await authority.issue('ringcast', 'DNS:ringcast.test'),
    ];
    const { phone, until } = await openTestPhone();
    const kamailio = await startProxy({
      ...PROXY,
      phone: phone.uri,
      tls: { own: theirs, authorityPath: authority.path },
    });
    const caller = await openCaller({ tls: { own: ours, authorities: authority.certificate } });
    const result = await caller.ring(NUMBER, { trunk: trunkOf(kamailio), clips: [noiseClip('a', 10)] }).result;
    expect(essenceOf(result)).toEqual({ outcome: 'completed', sipStatus: 200, codec: 'PCMU', framesSent: [10] });
    expect(await until('ended')).toMatchObject({ how: 'bye' });
    expect(kamailio.verdicts()).toEqual(['REFUSED INVITE', 'LET IN INVITE', 'LET IN BYE']);
    expect(kamailio.output().match(/LET IN \w+ ringcast over (\w+)/g)).toEqual([
      'LET IN INVITE ringcast over tls',
      'LET IN BYE ringcast over tls',
    ]);
  });

  it('brings us the BYE of a phone that hangs up, by a connection of its own', async () => {
    const authority = await createAuthority();
    const own = await authority.issue('both', `DNS:${HOST}`);
    const { phone } = await openTestPhone({ behaviour: { hangUpAfterMs: 1 } });
    const kamailio = await startProxy({ ...PROXY, phone: phone.uri, tls: { own, authorityPath: authority.path } });
    const caller = await openCaller({ tls: { own, authorities: authority.certificate } });
    const { outcome } = await caller.ring(NUMBER, { trunk: trunkOf(kamailio), clips: [noiseClip('a', 500)] }).result;
    expect(outcome).toBe('hung_up');
  });

  it('is down and says why if its certificate names another, or comes from an authority that we do not trust', async () => {
    const [authority, stranger] = [await createAuthority(), await createAuthority()];
    const server = await startRingcast({ RINGCAST_SIP_TLS_CA: authority.path });
    onTestFinished(() => server.close());
    const stateOf = async (own: Awaited<ReturnType<typeof authority.issue>>): Promise<Json> => {
      const tls = { own, authorityPath: authority.path };
      const kamailio = await startProxy({ ...PROXY, phone: `sip:nobody@${HOST}`, tls });
      const trunk = { host: HOST, port: kamailio.tlsPort, transport: 'tls', allowedPrefixes: ['+'] };
      const { id } = must(201, await server.api.operator('POST', '/trunks', trunk));
      for (;;) {
        const { state, stateReason } = must(200, await server.api.operator('GET', `/trunks/${id}`));
        if (state !== 'unknown') return { state, stateReason };
      }
    };
    expect(await stateOf(await authority.issue('other', 'DNS:other.test'))).toEqual({
      state: 'down',
      stateReason: expect.stringMatching(
        /^No TLS connection to .*: The certificate of localhost is for others: DNS:other/,
      ),
    });
    expect(await stateOf(await stranger.issue('unknown', `DNS:${HOST}`))).toEqual({
      state: 'down',
      stateReason: expect.stringMatching(
        /^No TLS connection to .*: its certificate comes from an authority that is not trusted; /,
      ),
    });
  });
});
