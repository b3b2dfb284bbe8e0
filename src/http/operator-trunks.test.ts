import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpFixture, startHttp } from '../../test/support/http-fixture.ts';
import { expectProblem, json, operatorClient, TRUNK } from '../../test/support/operator-client.ts';

let http: HttpFixture;
beforeAll(async () => {
  http = await startHttp();
});
afterAll(() => http.close());

const { call, created } = operatorClient(() => http);

describe('D trunks', () => {
  it('D POST, with defaults; reading adds the state and never shows the password', async () => {
    const refreshes = http.counters.refreshes;
    const trunk = await created('/trunks', { ...TRUNK, username: 'u', password: 'very-secret', callerId: '+15550000' });
    expect(trunk).toEqual({
      id: expect.stringMatching(/^[0-9]+$/),
      host: 'sip.example',
      port: null,
      transport: 'udp',
      username: 'u',
      hasPassword: true,
      callerId: '+15550000',
      allowedPrefixes: ['+1555', '+44'],
      maxConcurrentCalls: null,
      callsPerSecond: null,
      codecs: ['opus', 'G722', 'PCMU', 'PCMA'],
      register: false,
      srtp: 'off',
      comedia: false,
      healthCheck: 'options',
      state: 'unknown',
      stateReason: null,
      degraded: false,
      registration: null,
      createdAt: expect.stringMatching(/Z$/),
    });
    expect(http.counters.refreshes).toBe(refreshes + 1);
    http.switches.trunkState = 'down';
    http.switches.stateReason = 'The trunk refused the user name or password.';
    const read = await json(await call('GET', `/trunks/${trunk.id}`));
    expect([read.state, read.stateReason]).toEqual(['down', 'The trunk refused the user name or password.']);
    const list = await (await call('GET', '/trunks')).text();
    expect(list).not.toContain('very-secret');
    expect(JSON.parse(list).items[0].state).toBe('down');
    expect(JSON.stringify(http.sql('SELECT * FROM trunks'))).not.toContain('very-secret');
  });

  it('D POST registers under a user name; reading shows how that stands', async () => {
    http.switches.registration = { state: 'registered', expiresAt: 1_000, reason: null };
    const trunk = await created('/trunks', { ...TRUNK, username: 'u', register: true });
    expect(trunk).toMatchObject({
      register: true,
      registration: { state: 'registered', expiresAt: '1970-01-01T00:00:01.000Z', reason: null },
    });
    const put = await call('PUT', `/trunks/${trunk.id}`, trunk);
    expect([put.status, (await json(put)).register]).toEqual([200, true]);
  });

  it('D PUT replaces, DELETE removes; a trunk in use stays', async () => {
    const trunk = await created('/trunks', { ...TRUNK, id: 'main' });
    const body = {
      ...trunk,
      port: 5080,
      maxConcurrentCalls: 30,
      callsPerSecond: 5,
      codecs: ['PCMA'],
      healthCheck: 'none',
    };
    const put = await call('PUT', '/trunks/main', body);
    expect([put.status, await json(put)]).toEqual([200, { ...body, createdAt: trunk.createdAt }]);
    const network = await created('/networks', { destinations: ['+15551234'], trunkIds: ['main'] });
    await expectProblem(await call('DELETE', '/trunks/main'), 409);
    expect((await call('DELETE', `/networks/${network.id}`)).status).toBe(204);
    expect((await call('DELETE', '/trunks/main')).status).toBe(204);
    for (const method of ['GET', 'DELETE']) await expectProblem(await call(method, '/trunks/main'), 404);
    await expectProblem(await call('PUT', '/trunks/main', TRUNK), 404);
  });

  it.each(['udp', 'tcp', 'tls'])(
    'D a trunk over %s has no port unless it is told one: DNS says it',
    async (transport) => {
      const trunk = await created('/trunks', { ...TRUNK, transport, host: '2001:db8::1' });
      expect(trunk).toMatchObject({ transport, port: null, register: false, srtp: 'off', comedia: false });
      const read = await call('GET', `/trunks/${trunk.id}`);
      expect(await read.json()).toMatchObject({ transport, port: null, host: '2001:db8::1' });
    },
  );

  it('D 409 for a duplicate id', async () => {
    await created('/trunks', { ...TRUNK, id: 'twice' });
    await expectProblem(await call('POST', '/trunks', { ...TRUNK, id: 'twice' }), 409, 'id');
  });

  it('D comedia is taken, and taken back', async () => {
    const { id } = await created('/trunks', { ...TRUNK, comedia: true });
    expect(await json(await call('GET', `/trunks/${id}`))).toMatchObject({ comedia: true });
    expect(await json(await call('PUT', `/trunks/${id}`, TRUNK))).toMatchObject({ comedia: false });
  });

  it('D SRTP is taken, with a word about keys that can be read on the way unless TLS carries them', async () => {
    http.switches.stateReason = null;
    const plain = await created('/trunks', { ...TRUNK, srtp: 'required' });
    expect(plain).toMatchObject({ srtp: 'required', stateReason: expect.stringMatching(/set transport to "tls"/) });
    const secure = await created('/trunks', { ...TRUNK, transport: 'tls', srtp: 'preferred' });
    expect(secure).toMatchObject({ srtp: 'preferred', stateReason: null });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['no prefixes', { allowedPrefixes: undefined }, 'allowedPrefixes'],
    ['prefixes without plus', { allowedPrefixes: ['44'] }, 'allowedPrefixes'],
    ['the same prefix twice', { allowedPrefixes: ['+4', '+4'] }, 'allowedPrefixes'],
    ['no host', { host: undefined }, 'host'],
    ['an empty host', { host: '' }, 'host'],
    ['a host with a port', { host: 'a:5060' }, 'host'],
    ['a host that ends a SIP line', { host: 'a\r\nVia: x' }, 'host'],
    ['a host with a parameter', { host: 'a;lr' }, 'host'],
    ['a host that is no address', { host: '300.1.2.3' }, 'host'],
    ['a host like a number', { host: '127.1' }, 'host'],
    ['registration of nobody', { register: true }, 'register'],
    ['an IPv6 address in brackets', { host: '[::1]' }, 'host'],
    ['an IPv6 address that is none', { host: '::1::' }, 'host'],
    ['an IPv6 address with a zone', { host: 'fe80::1%lo' }, 'host'],
    ['another transport', { transport: 'sctp' }, 'transport'],
    ['a transport in capitals', { transport: 'TCP' }, 'transport'],
    ['port 0', { port: 0 }, 'port'],
    ['port 65536', { port: 65_536 }, 'port'],
    ['a port that is text', { port: '5060' }, 'port'],
    ['a caller with quotes', { callerId: '"x" <sip:y>' }, 'callerId'],
    ['a caller that ends a line', { callerId: 'x\r\ny' }, 'callerId'],
    ['a user name with quotes', { username: 'a"b' }, 'username'],
    ['a password with a line end', { password: 'a\nb' }, 'password'],
    ['no calls at once', { maxConcurrentCalls: 0 }, 'maxConcurrentCalls'],
    ['negative calls a second', { callsPerSecond: -1 }, 'callsPerSecond'],
    ['no codecs', { codecs: [] }, 'codecs'],
    ['a codec twice', { codecs: ['PCMU', 'PCMU'] }, 'codecs'],
    ['a codec that nobody knows', { codecs: ['G729', 'PCMU'] }, 'codecs'],
    ['an unknown SRTP policy', { srtp: 'always' }, 'srtp'],
    ['an unknown health check', { healthCheck: 'ping' }, 'healthCheck'],
    ['a hyphen too many in a misspelt member', { 'call-erId': 'x' }, 'call-erId'],
  ])('D 422 for %s', async (_, change, field) => {
    await expectProblem(await call('POST', '/trunks', { ...TRUNK, ...change }), 422, field);
  });
});
