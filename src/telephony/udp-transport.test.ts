import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { QUIET_LOG } from '../../test/support/quiet-log.ts';
import { createVirtualClock } from '../../test/support/virtual-clock.ts';
import { createVirtualMedia } from '../../test/support/virtual-media.ts';
import { monotonicMs, wakeAfter } from '../clock.ts';
import { udpHop, udpSource } from '../sip/hop.ts';
import type { Address } from '../sip/via.ts';
import { createDns } from './dns.ts';
import { addressTowards, createFindLocalAddress } from './local-address.ts';
import type { SipTransport } from './sip-transport.ts';
import { openUdpTransport } from './udp-transport.ts';
import { createUserAgent } from './user-agent.ts';

const ANY = { address: '127.0.0.1', port: 0 };
const open: SipTransport[] = [];

const opened = async (listen: Address = ANY): Promise<SipTransport> => {
  const transport = await openUdpTransport(listen);
  open.push(transport);
  return transport;
};

const nextMessage = (transport: SipTransport): Promise<{ text: string; from: Address }> =>
  new Promise((resolve) =>
    transport.onMessage((octets, from) => resolve({ text: new TextDecoder().decode(octets), from })),
  );

afterEach(async () => {
  await Promise.all(open.splice(0).map((transport) => transport.close()));
});

describe('UDP on loopback', () => {
  test('carries messages both ways and tells where from', async () => {
    const [a, b] = [await opened(), await opened()];
    const atB = nextMessage(b);
    a.send(new TextEncoder().encode('hello'), udpHop(b));
    expect(await atB).toEqual({ text: 'hello', from: udpSource({ address: '127.0.0.1', port: a.port }) });
    const atA = nextMessage(a);
    b.send(new TextEncoder().encode('yes'), udpHop(a));
    expect((await atA).text).toBe('yes');
  });

  test('port 0 takes a free one', async () => {
    expect((await opened()).port).toBeGreaterThan(0);
  });

  test('a port in use gives a sentence that names it', async () => {
    const { port } = await opened();
    await expect(openUdpTransport({ address: '127.0.0.1', port })).rejects.toThrow(
      `Cannot listen for SIP on 127.0.0.1:${port} (UDP): another program uses it; stop that program or choose another port.`,
    );
  });

  test('an address of another machine gives a sentence that names it', async () => {
    await expect(openUdpTransport({ address: '192.0.2.1', port: 0 })).rejects.toThrow(/192\.0\.2\.1:0 .*this machine/);
  });

  test.each([
    ['port 0', { address: '127.0.0.1', port: 0 }],
    ['a port beyond 65535', { address: '127.0.0.1', port: 65_536 }],
    ['a name', { address: 'localhost', port: 5060 }],
    ['too many octets', { address: '127.0.0.1', port: 9 }],
  ])('sending to %s is reported, later, and thrown nowhere', async (name, to) => {
    const transport = await opened();
    const error = Promise.withResolvers<Error>();
    transport.send(new Uint8Array(name === 'too many octets' ? 70_000 : 1), udpHop(to), error.resolve);
    expect(await error.promise).toBeInstanceOf(Error);
  });

  test('closing twice is closing once, and sending then is reported', async () => {
    const transport = await opened();
    await transport.close();
    await transport.close();
    const error = Promise.withResolvers<Error>();
    transport.send(new Uint8Array(1), udpHop(ANY), error.resolve);
    expect((await error.promise).message).toContain('closed');
  });
});

describe('a user agent on real sockets', () => {
  const agentOn = (transport: SipTransport) =>
    createUserAgent({
      transport,
      media: createVirtualMedia(createVirtualClock()),
      externalAddress: null,
      dns: createDns({ monotonicMs, wakeAfter }),
      monotonicMs,
      wakeAfter,
      random: { digits: (length) => '1'.repeat(length), hex: (bytes) => 'ab'.repeat(bytes) },
      log: QUIET_LOG,
    });

  test('probes another one by OPTIONS, by name as well', async () => {
    const [a, b] = [await opened(), await opened()];
    const [asking, asked] = [agentOn(a), agentOn(b)];
    // The one that is asked knows its peer only once it has spoken to it.
    const first = asked.probe({ host: '127.0.0.1', port: a.port });
    expect(await asking.probe({ host: 'localhost', port: b.port })).toMatchObject({ health: 'up' });
    expect(await first).toMatchObject({ health: 'up' });
    await Promise.all([asking.close(), asked.close()]);
  });
});

describe('the local address', () => {
  test('towards a peer on this machine is loopback', async () => {
    expect(await addressTowards({ address: '127.0.0.1', port: 5060 })).toBe('127.0.0.1');
  });

  test('towards a peer that no route leads to is none, told in a sentence', async () => {
    // Link-local, without the interface.
    const peer = { address: 'fe80::1', port: 5060 };
    await expect(createFindLocalAddress(null, '::')(peer)).rejects.toThrow('No network route leads to fe80::1.');
  });

  test('external, else bound, else asked once for each peer', async () => {
    const peer = { address: '192.0.2.2', port: 5060 };
    expect(await createFindLocalAddress('203.0.113.1', '0.0.0.0')(peer)).toBe('203.0.113.1');
    expect(await createFindLocalAddress(null, '192.0.2.1')(peer)).toBe('192.0.2.1');
    const asked: string[] = [];
    const find = createFindLocalAddress(null, '0.0.0.0', async ({ address }) => {
      asked.push(address);
      return '192.0.2.1';
    });
    expect([await find(peer), await find(peer)]).toEqual(['192.0.2.1', '192.0.2.1']);
    expect(asked).toEqual(['192.0.2.2']);
  });
});

test('real time wakes once, and not after it was cancelled', async () => {
  const woken: string[] = [];
  const done = Promise.withResolvers<void>();
  wakeAfter(0, () => woken.push('cancelled'))();
  wakeAfter(5, () => {
    woken.push('kept');
    done.resolve();
  });
  await done.promise;
  await turn();
  expect(woken).toEqual(['kept']);
});

test('a socket of any other program is heard too', async () => {
  const transport = await opened();
  const socket = createSocket('udp4');
  const message = nextMessage(transport);
  socket.send('plain', transport.port, '127.0.0.1');
  expect((await message).text).toBe('plain');
  socket.close();
  await once(socket, 'close');
});
