import { expect, test } from 'vitest';
import { defaultPortOf, isReliable, transportOfUri, udpHop } from './hop.ts';
import { isSipUri, parseUri } from './uri.ts';

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

test.each([
  ['sip:a.test', 'udp'],
  ['sip:a.test;transport=UDP', 'udp'],
  ['sip:a.test;transport=tcp', 'tcp'],
  ['sip:a.test;lr;transport=TLS', 'tls'],
  ['sip:a.test;transport=sctp', null],
  ['sip:a.test;transport', 'udp'],
  ['sips:a.test', 'tls'],
  ['sips:a.test;transport=tcp', 'tls'],
  ['sips:a.test;transport=tls', 'tls'],
  ['sips:a.test;transport=udp', null],
  ['sips:a.test;transport=ws', null],
])('%s asks for %s', (text, transport) => {
  const uri = parseUri(text);
  expect(uri && isSipUri(uri) && transportOfUri(uri)).toBe(transport);
});
