import { afterEach, describe, expect, it } from 'vitest';
import type { PhoneEvent } from '../../src/phone/phone.ts';
import { createAuthority } from '../support/certificates.ts';
import { type Json, startRingcast, type TestServer } from '../support/ringcast.ts';
import { blastIdOf, blastUntil, makeScenario, must, toneWav, uploadMedia } from '../support/scenario.ts';
import { makeRecordDirectory, openTestPhone } from '../support/test-phone.ts';

let server: TestServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

/** Blasts ten frames to a destination, and gives the one attempt that came of it. */
const blastTo = async (destination: string, trunk?: Record<string, unknown>): Promise<Json> => {
  if (!server) throw new Error('No server runs.');
  const { api } = server;
  const scenario = await makeScenario(api, trunk ? ['sip:nobody@192.0.2.1'] : [destination]);
  if (trunk) {
    const { id } = must(201, await api.operator('POST', '/trunks', { allowedPrefixes: ['+'], ...trunk }));
    const network = { destinations: [destination], trunkIds: [id], applicationIds: [scenario.applicationId] };
    must(200, await api.operator('PUT', `/networks/${scenario.networkId}`, network));
  }
  const mediaId = await uploadMedia(api, scenario.appKey, toneWav(440, 10));
  const answer = await api.blast(mediaId, {
    networkid: scenario.networkId,
    appkey: scenario.appKey,
    greetingid: mediaId,
  });
  expect(answer.status).toBe(202);
  const isOver = (blast: Json): boolean => blast.state === 'finished';
  const blast = await blastUntil(api, scenario.appKey, blastIdOf(answer), isOver);
  return blast.calls[0];
};

const phoneOn = async (address: string, options: Parameters<typeof openTestPhone>[0] = {}) =>
  openTestPhone({ listen: { address, port: 0 }, recordDirectory: await makeRecordDirectory(), ...options });

/** The whole message was heard, and Ringcast's BYE ended it. */
const expectHeard = async (until: Awaited<ReturnType<typeof phoneOn>>['until'], call: Json): Promise<PhoneEvent> => {
  expect(call.outcome).toBe('completed');
  expect(await until('ended')).toMatchObject({ how: 'bye', reception: { lost: 0 } });
  return until('recorded');
};

const tlsOf = async (authority: Awaited<ReturnType<typeof createAuthority>>, name: string, subjectAltName: string) => {
  const { certificate, key, certificatePath, keyPath } = await authority.issue(name, subjectAltName);
  return {
    material: { own: { certificate, key }, authorities: authority.certificate },
    environment: {
      RINGCAST_SIP_TLS_CERT: certificatePath,
      RINGCAST_SIP_TLS_KEY: keyPath,
      RINGCAST_SIP_TLS_CA: authority.path,
    },
  };
};

describe('a complete call', () => {
  it('over TCP, to a URI that asks for it', async () => {
    server = await startRingcast();
    const { phone, until } = await phoneOn('127.0.0.1', { transport: 'tcp' });
    expect(phone.uri).toMatch(/;transport=tcp$/);
    await expectHeard(until, await blastTo(phone.uri));
  });

  it('over a TCP trunk, whose phone hangs up on a connection of its own', async () => {
    server = await startRingcast();
    const { phone, until } = await phoneOn('127.0.0.1', { behaviour: { hangUpAfterMs: 40 } });
    const call = await blastTo('+15551230000', { host: '127.0.0.1', port: phone.port, transport: 'tcp' });
    expect(call.outcome).toBe('hung_up');
    expect(await until('ended')).toMatchObject({ how: 'hung_up', sipStatus: 200 });
  });

  it('over TLS, to a sips URI, with certificates that both sides prove', async () => {
    const authority = await createAuthority();
    const ours = await tlsOf(authority, 'ringcast', 'IP:127.0.0.1');
    const theirs = await tlsOf(authority, 'phone', 'IP:127.0.0.1,DNS:localhost');
    server = await startRingcast(ours.environment);
    const { phone, until } = await phoneOn('127.0.0.1', { transport: 'tls', tls: theirs.material });
    await expectHeard(until, await blastTo(phone.uri.replace('sip:', 'sips:').replace(';transport=tls', '')));
  });

  it('over a TLS trunk that is known by name, to a phone that hangs up over TLS too', async () => {
    const authority = await createAuthority();
    const ours = await tlsOf(authority, 'ringcast', 'IP:127.0.0.1');
    const theirs = await tlsOf(authority, 'phone', 'DNS:localhost');
    server = await startRingcast(ours.environment);
    const options = { transport: 'tls', tls: theirs.material, behaviour: { hangUpAfterMs: 40 } } as const;
    const { phone, until } = await phoneOn('127.0.0.1', options);
    const port = Number(/:([0-9]+);/.exec(phone.uri)?.[1]);
    const call = await blastTo('+15551230000', { host: 'localhost', port, transport: 'tls' });
    expect(call.outcome).toBe('hung_up');
    expect(await until('ended')).toMatchObject({ how: 'hung_up', sipStatus: 200 });
  });

  it('over IPv6, whose voice goes over IPv6', async () => {
    server = await startRingcast({ RINGCAST_SIP_LISTEN: '[::1]:0' });
    expect(server.sip).toMatch(/^sip:\[::1\]:[0-9]+$/);
    const { phone, until } = await phoneOn('::1');
    expect(phone.uri).toMatch(/^sip:\[::1\]:/);
    await expectHeard(until, await blastTo(phone.uri));
  });

  it('from the wildcard of IPv6 to phones of both versions', async () => {
    server = await startRingcast({ RINGCAST_SIP_LISTEN: '[::]:0' });
    for (const address of ['127.0.0.1', '::1']) {
      const { phone, until } = await phoneOn(address);
      await expectHeard(until, await blastTo(phone.uri));
    }
  });
});

describe('a peer whose certificate proves something else', () => {
  it.each([
    ['another name', 'DNS:other.test', undefined],
    ['the right one, expired', 'IP:127.0.0.1', 'expired'],
  ] as const)('%s: unreachable, and the phone hears nothing', async (_name, subjectAltName, validity) => {
    const authority = await createAuthority();
    const { certificate, key } = await authority.issue('phone', subjectAltName, validity);
    server = await startRingcast({ RINGCAST_SIP_TLS_CA: authority.path, RINGCAST_LOG_LEVEL: 'silent' });
    const tls = { own: { certificate, key }, authorities: null };
    const { phone, events } = await phoneOn('127.0.0.1', { transport: 'tls', tls });
    const port = Number(/:([0-9]+);/.exec(phone.uri)?.[1]);
    const trunk = { host: '127.0.0.1', port, transport: 'tls', healthCheck: 'none' };
    const call = await blastTo('+15551230000', trunk);
    expect(call.outcome).toBe('unreachable');
    expect(events).toEqual([]);
  });
});
