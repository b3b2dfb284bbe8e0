import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createAuthority } from '../../test/support/certificates.ts';
import { hopTo, openBench, sendText } from '../../test/support/stream-bench.ts';
import { udpHop } from '../sip/hop.ts';
import { canonicalAddress, familyOf } from './ip-address.ts';
import type { TlsMaterial } from './sip-transport.ts';

const holdTcp = async (port = 0): Promise<number> => {
  const holder = createServer();
  onTestFinished(() => void holder.close());
  holder.listen(port, '127.0.0.1');
  await once(holder, 'listening');
  const bound = holder.address();
  return bound !== null && typeof bound === 'object' ? bound.port : 0;
};

/**
 * Why nobody can listen on a port, given as its distance from one that TCP has lost to somebody else. Tries others while
 * somebody has the port of UDP as well.
 */
const refusalNearHeldPort = async (distance: number, tls: TlsMaterial, expected: string): Promise<string> => {
  for (;;) {
    const held = await holdTcp();
    const listen = { address: '127.0.0.1', port: held + distance };
    const refusal = await openBench({ listen, tls }).catch((error: Error) => error.message);
    if (typeof refusal !== 'string') throw new Error('The held port was taken.');
    if (refusal.includes(`:${held} (${expected})`)) return refusal;
  }
};

test('a port that TCP cannot have is named', async () => {
  expect(await refusalNearHeldPort(0, { own: null, authorities: null }, 'TCP')).toMatch(
    /^Cannot listen for SIP on 127\.0\.0\.1:[0-9]+ \(TCP\): another program uses it; stop that program or choose/,
  );
});

test('TLS is on the next port, and one that is taken is named', async () => {
  const { certificate, key } = await (await createAuthority()).issue('a', 'DNS:a.test');
  const tls = { own: { certificate, key }, authorities: null };
  const { transport } = await openBench();
  const { port } = transport;
  expect(transport.portOf('tls')).toBe(port + 1);
  await transport.close();
  expect(await refusalNearHeldPort(-1, tls, 'TLS')).toMatch(
    /^Cannot listen for SIP on 127\.0\.0\.1:[0-9]+ \(TLS\): another/,
  );
});

test('the wildcard of IPv6 speaks to both versions, whose addresses are told as they are', async () => {
  const both = await openBench({ listen: { address: '::', port: 0 } });
  const four = await openBench();
  const six = await openBench({ listen: { address: '::1', port: 0 } });
  for (const [transport, address] of [
    [four.transport, '127.0.0.1'],
    [six.transport, '::1'],
  ] as const) {
    sendText(transport, 'udp', { ...udpHop(both.transport), address });
    sendText(transport, 'BYE sip:a SIP/2.0\r\nl: 0\r\n\r\n', { ...hopTo(both.transport, 'tcp'), address });
  }
  await both.heard.at(3);
  const from = both.heard.items.map((each) => `${each.from.transport} ${each.from.address}`);
  expect(from.toSorted()).toEqual(['tcp 127.0.0.1', 'tcp ::1', 'udp 127.0.0.1', 'udp ::1']);
  sendText(both.transport, 'to four', udpHop(four.transport));
  sendText(both.transport, 'to six', udpHop(six.transport));
  expect([(await four.heard.at(0)).text, (await six.heard.at(0)).text]).toEqual(['to four', 'to six']);
});

test('IP addresses have one form', () => {
  const forms = ['192.0.2.1', '::FFFF:192.0.2.1', '2001:DB8:0:0::1', '0:0:0:0:0:0:0:1'];
  expect(forms.map(canonicalAddress)).toEqual(['192.0.2.1', '192.0.2.1', '2001:db8::1', '::1']);
  expect(['0.0.0.0', '127.0.0.1', '::', '::1'].map(familyOf)).toEqual([4, 4, 'any', 6]);
});
