import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../test/support/seeded-network.ts';
import { chooseNaptr, type NaptrRecord, type SrvRecord, srvInOrder, transportsFor } from './server-location.ts';

const ALL = ['udp', 'tcp', 'tls'] as const;

describe('transportsFor (RFC 3263 4.1)', () => {
  test.each([
    ['nothing stated', {}, ['udp', 'tcp', 'tls']],
    ['a port', { port: 5070 }, ['udp']],
    ['a transport', { transport: 'tcp' }, ['tcp']],
    ['a transport and a port', { transport: 'tls', port: 5070 }, ['tls']],
    ['sips', { isSecure: true }, ['tls']],
    ['sips and a port', { isSecure: true, port: 5070 }, ['tls']],
    ['sips over tcp, which is tls', { isSecure: true, transport: 'tcp' }, ['tls']],
    ['sips over udp, which there is none of', { isSecure: true, transport: 'udp' }, []],
  ] as const)('%s', (_, stated, expected) => {
    expect(transportsFor({ host: 'a.test', port: null, ...stated }, ALL)).toEqual(expected);
  });

  test('only those that we have', () => {
    expect(transportsFor({ host: 'a.test', port: null }, ['udp'])).toEqual(['udp']);
    expect(transportsFor({ host: 'a.test', port: null, transport: 'tcp' }, ['udp'])).toEqual([]);
  });
});

describe('chooseNaptr', () => {
  const record = (change: Partial<NaptrRecord>): NaptrRecord => ({
    flags: 's',
    service: 'SIP+D2U',
    replacement: '_sip._udp.a.test',
    order: 10,
    preference: 10,
    ...change,
  });

  test('goes by order, then preference, and leaves out what we do not speak', () => {
    const records = [
      record({ order: 20, replacement: 'third' }),
      record({ preference: 20, service: 'sips+d2t', replacement: 'second' }),
      record({ replacement: 'first', flags: 'S' }),
      record({ service: 'SIP+D2S', order: 1 }),
      record({ service: 'E2U+sip', order: 1, flags: 'u', replacement: '' }),
      record({ flags: 'a', order: 1 }),
    ];
    expect(chooseNaptr(records, ALL)).toEqual([
      { transport: 'udp', srvName: 'first' },
      { transport: 'tls', srvName: 'second' },
      { transport: 'udp', srvName: 'third' },
    ]);
    expect(chooseNaptr(records, ['tcp'])).toEqual([]);
  });
});

describe('srvInOrder (RFC 2782)', () => {
  const srv = (name: string, priority: number, weight: number): SrvRecord => ({ name, port: 5060, priority, weight });

  test('every priority before the next, nothing lost, whatever is drawn', () => {
    const records = fc.array(fc.tuple(fc.nat(3), fc.nat(100)), { maxLength: 12 });
    fc.assert(
      fc.property(records, fc.integer(), (drawn, seed) => {
        const given = drawn.map(([priority, weight], i) => srv(`${i}`, priority, weight));
        const ordered = srvInOrder(given, seededRandom(seed));
        expect([...ordered].sort((a, b) => Number(a.name) - Number(b.name))).toEqual(given);
        expect(ordered.map(({ priority }) => priority)).toEqual(given.map(({ priority }) => priority).sort());
      }),
    );
  });

  test('the first of equals goes by weight', () => {
    const random = seededRandom(7);
    const records = [srv('a', 1, 60), srv('b', 1, 30), srv('c', 1, 10), srv('zero', 1, 0), srv('later', 2, 1000)];
    const firsts = new Map<string, number>();
    for (let i = 0; i < 10_000; i++) {
      const name = srvInOrder(records, random)[0]?.name ?? '';
      firsts.set(name, (firsts.get(name) ?? 0) + 1);
    }
    const share = (name: string): number => Math.round((firsts.get(name) ?? 0) / 1000);
    expect(['a', 'b', 'c', 'zero', 'later'].map(share)).toEqual([6, 3, 1, 0, 0]);
    // A very small chance is one.
    expect(firsts.get('zero')).toBeGreaterThan(0);
  });

  test('weights of 0 alone keep their order', () => {
    const records = [srv('a', 1, 0), srv('b', 1, 0)];
    expect(srvInOrder(records, () => 0.999).map(({ name }) => name)).toEqual(['a', 'b']);
  });
});
