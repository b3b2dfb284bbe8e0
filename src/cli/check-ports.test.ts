import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { besidePort, checkPorts, type PortOrder } from './check-ports.ts';

let server: Server | undefined;
afterEach(() => {
  server?.close();
  server?.closeAllConnections();
});

const order = (value: string, protocol: 'tcp' | 'udp' = 'tcp'): PortOrder => ({
  name: 'public port',
  variable: 'RINGCAST_PUBLIC_LISTEN',
  value,
  protocol,
});

const listen = async (status: number): Promise<string> => {
  server = createServer((_request, response) => response.writeHead(status).end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
};

test('a port that nobody holds is free', async () => {
  expect(await checkPorts([order('127.0.0.1:0')])).toMatchObject([
    { state: 'ok', detail: '127.0.0.1:0 (tcp) is free' },
  ]);
  expect(await checkPorts([order('127.0.0.1:0', 'udp')])).toMatchObject([{ state: 'ok' }]);
});

test('a port that a running Ringcast holds is ours', async () => {
  const address = await listen(200);
  expect(await checkPorts([order(address)])).toMatchObject([
    { state: 'ok', detail: `${address} (tcp) is held by the Ringcast that runs here` },
  ]);
});

test('a port of another program is a problem with a fix', async () => {
  const address = await listen(404);
  expect(await checkPorts([order(address)])).toMatchObject([
    { state: 'problem', fix: 'end that program, or set RINGCAST_PUBLIC_LISTEN' },
  ]);
});

test('a UDP port that is taken is a problem', async () => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const checks = await checkPorts([order('127.0.0.1:0'), order(`127.0.0.1:${socket.address().port}`, 'udp')]);
  socket.close();
  expect(checks.map((check) => check.state)).toEqual(['ok', 'problem']);
});

test('an address that is not of this machine is a problem', async () => {
  const [check] = await checkPorts([order('192.0.2.1:8080')]);
  expect(check).toMatchObject({ state: 'problem', fix: 'set RINGCAST_PUBLIC_LISTEN' });
});

test('TLS is on the next port', () => {
  expect(['0.0.0.0:5060', '[::]:5060', '127.0.0.1:0', 'here:65535', '5060'].map(besidePort)).toEqual([
    '0.0.0.0:5061',
    '[::]:5061',
    '127.0.0.1:0',
    'here:65535',
    '5060',
  ]);
});

test('what is no address at all is a problem', async () => {
  expect(await checkPorts([order('8080')])).toMatchObject([{ state: 'problem', detail: '8080 is no ADDRESS:PORT' }]);
});
