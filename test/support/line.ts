import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A line to a server on loopback, whose faults are in the test's hands. */
export interface Line {
  readonly port: number;
  /** Resets every connection, and refuses new ones. */
  cut(): void;
  /** Refuses new connections too, as where nobody listens. */
  refuse(): void;
  /** Takes what is sent, and new connections too, and lets nothing through. */
  hang(): void;
  /** As if nothing had been; what hung is reset. */
  mend(): void;
  close(): Promise<void>;
}

export const openLine = async (targetPort: number): Promise<Line> => {
  const sockets = new Set<Socket>();
  let state: 'open' | 'cut' | 'hanging' = 'open';
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    // A line that breaks is what this is for.
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const carry = (client: Socket): void => {
    keep(client);
    if (state === 'cut') return void client.resetAndDestroy();
    if (state === 'hanging') return void client.resume();
    const server = connect(targetPort, '127.0.0.1');
    keep(server);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on('data', (chunk) => state === 'open' && to.write(chunk));
      from.on('close', () => state === 'open' && to.destroy());
    }
  };
  const reset = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const listener = createServer({ noDelay: true }, carry).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  return {
    port,
    cut() {
      state = 'cut';
      reset();
    },
    refuse() {
      state = 'cut';
      listener.close();
      reset();
    },
    hang() {
      state = 'hanging';
    },
    mend() {
      if (state === 'hanging') reset();
      state = 'open';
      if (!listener.listening) listener.listen(port, '127.0.0.1');
    },
    async close() {
      reset();
      listener.close();
      await once(listener, 'close');
    },
  };
};
