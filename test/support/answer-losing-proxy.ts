import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A line that breaks, once, when the server answers after more than `afterBytes` octets. */
export const openAnswerLosingProxy = async (target: number, afterBytes: number) => {
  let forwarded = 0;
  let isLost = false;
  const clients = new Set<Socket>();
  const listener = createServer((client) => {
    const server = connect(target, '127.0.0.1');
    clients.add(client);
    for (const socket of [client, server]) socket.on('error', () => undefined);
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
    client.on('data', (octets) => {
      forwarded += octets.length;
      server.write(octets);
    });
    server.on('data', (octets) => {
      if (isLost || forwarded <= afterBytes) return void client.write(octets);
      isLost = true;
      client.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const close = async (): Promise<void> => {
    for (const client of clients) client.destroy();
    listener.close();
    await once(listener, 'close');
  };
  return { port: (listener.address() as AddressInfo).port, close };
};
