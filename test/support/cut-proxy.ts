import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** How a line ends: the proxy closes it, resets it, or lets nothing more through until the server gives up. */
export type Cut = 'FIN' | 'RST' | 'silence';

export interface CutProxy {
  readonly port: number;
  /** Octets from clients that were let through. */
  forwarded(): number;
  /** Cuts made so far. */
  cuts(): number;
  /** Where connections made from now on go. */
  aimAt(port: number): void;
  close(): Promise<void>;
}

/** A line to a server on loopback that is cut whenever another `everyBytes` octets have gone through, `times` times. */
export const openCutProxy = async (
  target: number,
  { cut, everyBytes, times }: { cut: Cut; everyBytes: number; times: number },
): Promise<CutProxy> => {
  const sockets = new Set<Socket>();
  let port = target;
  let forwarded = 0;
  let cuts = 0;
  const carry = (client: Socket): void => {
    const server = connect(port, '127.0.0.1');
    for (const socket of [client, server]) {
      sockets.add(socket);
      // A line that breaks is what this is for.
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    client.on('data', (chunk: Buffer) => {
      const room = cuts < times ? (cuts + 1) * everyBytes - forwarded : Number.POSITIVE_INFINITY;
      const passed = chunk.subarray(0, room);
      forwarded += passed.length;
      server.write(passed);
      if (chunk.length < room) return;
      cuts += 1;
      client.pause().removeAllListeners('data');
      cutLine(cut, client, server);
    });
    server.on('data', (chunk) => client.write(chunk));
    server.on('close', () => client.destroy());
    client.on('close', () => server.destroy());
  };
  const listener = createServer({ noDelay: true }, carry).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    port: (listener.address() as AddressInfo).port,
    forwarded: () => forwarded,
    cuts: () => cuts,
    aimAt: (next) => {
      port = next;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, 'close');
    },
  };
};

const cutLine = (cut: Cut, client: Socket, server: Socket): void => {
  if (cut === 'FIN') {
    server.end();
    client.end();
  }
  if (cut === 'RST') {
    server.resetAndDestroy();
    client.resetAndDestroy();
  }
};
