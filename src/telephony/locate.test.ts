import { describe, expect, test } from 'vitest';
import { a, type DnsRecord, naptr, srv, startDnsServer } from '../../test/support/dns-server.ts';
import { createVirtualClock } from '../../test/support/virtual-clock.ts';
import { wakeAfter } from '../clock.ts';
import type { Hop } from '../sip/hop.ts';
import type { LocateTarget } from '../sip/server-location.ts';
import { createDns, NEGATIVE_TTL_MS, QUERY_PATIENCE_MS } from './dns.ts';
import { createLocate, type Reach } from './locate.ts';

const UDP: Reach = { transports: ['udp'], families: [4] };
const ALL: Reach = { transports: ['udp', 'tcp', 'tls'], families: [4] };
const AAAA: DnsRecord = { type: 'AAAA', ttl: 60, octets: [...Array<number>(15).fill(0), 1] };

const bench = async (zone: Record<string, readonly DnsRecord[]>, reach = UDP) => {
  const server = await startDnsServer({ ...zone });
  const clock = createVirtualClock();
  const dns = createDns({ monotonicMs: () => clock.nowMs, wakeAfter, servers: [server.server] });
  const locate = createLocate({ dns, reach, random: () => 0 });
  const find = async (host: string, stated: Partial<LocateTarget> = {}): Promise<readonly string[]> =>
    (await locate({ host, port: null, ...stated })).map(nameOf);
  return { server, clock, find, locate };
};

const nameOf = ({ transport, address, port, tlsName }: Hop): string =>
  `${transport} ${address} ${port}${tlsName === null ? '' : ` ${tlsName}`}`;

describe('an IP address', () => {
  test.each([
    ['192.0.2.1', {}, 'udp 192.0.2.1 5060'],
    ['[2001:db8::1]', { port: 5070 }, 'udp 2001:db8::1 5070'],
    ['192.0.2.1', { isSecure: true }, 'tls 192.0.2.1 5061 192.0.2.1'],
    ['192.0.2.1', { transport: 'tcp' as const }, 'tcp 192.0.2.1 5060'],
  ])('%s %o is its own answer, at once', async (host, stated, expected) => {
    const { locate, server } = await bench({}, ALL);
    const hops = locate({ host, port: null, ...stated });
    expect(hops instanceof Promise ? null : hops.map(nameOf)).toEqual([expected]);
    expect(server.asked).toEqual([]);
  });

  test('that needs a transport we do not have', async () => {
    const { find } = await bench({});
    await expect(find('192.0.2.1', { isSecure: true })).rejects.toThrow(/No SIP transport.*192\.0\.2\.1/);
  });
});

describe('a host name', () => {
  const TWO = {
    'x.test': [
      naptr('SIP+D2T', 'tcp.x.test', 2),
      naptr('SIPS+D2T', 'tls.x.test', 1),
      naptr('SIP+D2U', 'udp.x.test', 3),
    ],
    'tls.x.test': [srv('a.x.test', 5071)],
    'tcp.x.test': [srv('a.x.test', 5072)],
    'udp.x.test': [srv('b.x.test', 5074, 2), srv('a.x.test', 5073, 1)],
    'a.x.test': [a('192.0.2.1'), a('192.0.2.2')],
    'b.x.test': [a('192.0.2.3')],
  };

  test('by NAPTR, of what we speak; the certificate has to show the name that was asked', async () => {
    const { find } = await bench(TWO, { transports: ['udp', 'tls'], families: [4] });
    expect(await find('x.test')).toEqual([
      'tls 192.0.2.1 5071 x.test',
      'tls 192.0.2.2 5071 x.test',
      'udp 192.0.2.1 5073',
      'udp 192.0.2.2 5073',
      'udp 192.0.2.3 5074',
    ]);
  });

  test('by SRV if there is no NAPTR, UDP first', async () => {
    const { find, server } = await bench(
      {
        '_sip._tcp.y.test': [srv('a.y.test', 5071)],
        '_sip._udp.y.test': [srv('a.y.test', 5072)],
        'a.y.test': [a('192.0.2.1')],
      },
      ALL,
    );
    expect(await find('y.test')).toEqual(['udp 192.0.2.1 5072', 'tcp 192.0.2.1 5071']);
    expect(await find('y.test', { transport: 'tcp' })).toEqual(['tcp 192.0.2.1 5071']);
    expect(server.asked.filter((question) => question.startsWith('NAPTR'))).toEqual(['NAPTR y.test']);
  });

  test('by its address if there is neither, or if a port is stated', async () => {
    const { find, server } = await bench({ 'z.test': [a('192.0.2.9')] });
    expect(await find('z.test')).toEqual(['udp 192.0.2.9 5060']);
    server.asked.splice(0);
    expect(await find('z.test', { port: 5080 })).toEqual(['udp 192.0.2.9 5080']);
    expect(server.asked).toEqual([]);
  });

  test('in both families, as far as we have them', async () => {
    const zone = { 'z.test': [a('192.0.2.9'), AAAA] };
    const both = await bench(zone, { transports: ['udp'], families: [6, 4] });
    expect(await both.find('z.test', { port: 5060 })).toEqual(['udp ::1 5060', 'udp 192.0.2.9 5060']);
    const six = await bench(zone, { transports: ['udp'], families: [6] });
    expect(await six.find('z.test', { port: 5060 })).toEqual(['udp ::1 5060']);
  });

  test('whose service is decidedly not there (RFC 2782) has no address', async () => {
    const { find } = await bench({ '_sip._udp.z.test': [srv('', 0)], 'z.test': [a('192.0.2.9')] });
    await expect(find('z.test')).rejects.toThrow('The host name z.test has no address');
  });

  test('of which one target is unknown: the others stay', async () => {
    const zone = {
      '_sip._udp.z.test': [srv('gone.test', 5060, 1), srv('a.test', 5060, 2)],
      'a.test': [a('192.0.2.1')],
    };
    const { find } = await bench(zone);
    expect(await find('z.test')).toEqual(['udp 192.0.2.1 5060']);
  });

  test('has 8 hops at most', async () => {
    const zone = { 'many.test': Array.from({ length: 20 }, (_, i) => a(`192.0.2.${i + 1}`)) };
    const { find } = await bench(zone);
    expect(await find('many.test')).toHaveLength(8);
  });

  test('localhost, which no name server has to know', async () => {
    const { find, server } = await bench({});
    expect(await find('localhost', { port: 5070 })).toEqual(['udp 127.0.0.1 5070']);
    expect(server.asked).toEqual([]);
  });

  test('that nobody knows, nor the system', async () => {
    const { find } = await bench({});
    await expect(find('nobody.invalid')).rejects.toThrow(
      'The host name nobody.invalid has no address that can be reached from here.',
    );
  });
});

describe('answers are kept', () => {
  test('for their TTL, and of simultaneous questions one is asked', async () => {
    const { find, server, clock } = await bench({ 'z.test': [a('192.0.2.1', 20)] });
    const ask = () => find('z.test', { port: 5060 });
    await Promise.all([ask(), ask(), ask()]);
    server.zone['z.test'] = [a('192.0.2.2', 20)];
    await clock.advance(19_999);
    expect(await ask()).toEqual(['udp 192.0.2.1 5060']);
    expect(server.asked).toEqual(['A z.test']);
    await clock.advance(1);
    expect(await ask()).toEqual(['udp 192.0.2.2 5060']);
    expect(server.asked).toEqual(['A z.test', 'A z.test']);
  });

  test('and so is that there are none', async () => {
    const { find, server, clock } = await bench({ 'z.test': [a('192.0.2.1', 300)] });
    await find('z.test');
    await clock.advance(NEGATIVE_TTL_MS - 1);
    await find('z.test');
    expect(server.asked).toEqual(['NAPTR z.test', 'SRV _sip._udp.z.test', 'A z.test']);
    server.zone['_sip._udp.z.test'] = [srv('z.test', 5090)];
    await clock.advance(1);
    expect(await find('z.test')).toEqual(['udp 192.0.2.1 5090']);
  });
});

test('a name server that falls silent is waited for in virtual time no longer than its patience', async () => {
  const clock = createVirtualClock();
  const server = await startDnsServer({});
  server.fallSilent();
  const dns = createDns({ monotonicMs: () => clock.nowMs, wakeAfter: clock.wakeAfter, servers: [server.server] });
  const answer = dns.addresses('z.test', 4).catch((error: Error) => error.message);
  await clock.advance(QUERY_PATIENCE_MS);
  expect(await answer).toBe('No name server answered.');
});
