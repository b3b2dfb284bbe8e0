import { expect, test } from 'vitest';
import { defaultPortOf, isReliable, udpHop } from './hop.ts';

test('a host that states no port is asked on 5060, over TLS on 5061', () => {
  expect([defaultPortOf('udp'), defaultPortOf('tcp'), defaultPortOf('tls')]).toEqual([5060, 5060, 5061]);
});

test('only UDP loses and repeats', () => {
  expect([isReliable('udp'), isReliable('tcp'), isReliable('tls')]).toEqual([false, true, true]);
});

test('an address becomes a hop over UDP, where no certificate proves anything', () => {
  expect(udpHop({ address: '192.0.2.7', port: 5070 })).toEqual({
    transport: 'udp',
    address: '192.0.2.7',
    port: 5070,
    tlsName: null,
  });
});
