import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { wakeAfter } from '../../src/clock.ts';
import type { Hop, Source } from '../../src/sip/hop.ts';
import { openSipTransport, type SipTransportOptions } from '../../src/telephony/open-sip-transport.ts';
import type { SipTransport } from '../../src/telephony/sip-transport.ts';
import { QUIET_LOG } from './quiet-log.ts';

/** What has happened, and who waits for the next of it. */
export const createQueue = <T>() => {
  const items: T[] = [];
  let wake = (): void => undefined;
  return {
    items,
    push: (item: T): void => {
      items.push(item);
      wake();
    },
    /** The item at an index, past or to come. */
    at: async (index: number): Promise<T> => {
      for (;;) {
        const item = items[index];
        if (item !== undefined) return item;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
};

export interface Heard {
  readonly text: string;
  readonly from: Source;
  readonly isUnframed: boolean;
}

/** A transport on loopback, what it hears and loses; closed when the test is over. */
export const openBench = async (options: Partial<SipTransportOptions> = {}) => {
  const transport = await openSipTransport({
    listen: { address: '127.0.0.1', port: 0 },
    tls: { own: null, authorities: null },
    wakeAfter,
    log: QUIET_LOG,
    ...options,
  });
  onTestFinished(() => transport.close());
  const heard = createQueue<Heard>();
  const lost = createQueue<Hop>();
  transport.onMessage((octets, from, isUnframed = false) =>
    heard.push({ text: new TextDecoder().decode(octets), from, isUnframed }),
  );
  transport.onLost(lost.push);
  return { transport, heard, lost };
};

export const hopTo = (transport: SipTransport, over: Hop['transport'], tlsName: string | null = null): Hop => ({
  transport: over,
  address: '127.0.0.1',
  port: transport.portOf(over),
  tlsName,
});

/** Sends, and gives the error that comes of it; never settles if none does. */
export const failureOf = (transport: SipTransport, text: string, to: Hop): Promise<Error> =>
  new Promise((resolve) => transport.send(new TextEncoder().encode(text), to, resolve));

export const sendText = (transport: SipTransport, text: string, to: Hop): void =>
  transport.send(new TextEncoder().encode(text), to);

/** A TCP server that is no SIP peer: it keeps its sockets and what they said. */
export const openRawServer = async () => {
  const sockets = createQueue<Socket>();
  const octets = createQueue<string>();
  const server: Server = createServer((socket) => {
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => octets.push(text));
    socket.on('error', () => undefined);
    sockets.push(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    for (const socket of sockets.items) socket.destroy();
  });
  const bound = server.address();
  const port = bound !== null && typeof bound === 'object' ? bound.port : 0;
  const hop: Hop = { transport: 'tcp', address: '127.0.0.1', port, tlsName: null };
  return { hop, sockets, octets };
};

/** A TCP client of a transport, which says what it is told to. */
export const openRawClient = async (transport: SipTransport) => {
  const socket = connect(transport.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const octets = createQueue<string>();
  socket.setEncoding('latin1');
  socket.on('data', (text: string) => octets.push(text));
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  return { socket, octets, closed };
};
