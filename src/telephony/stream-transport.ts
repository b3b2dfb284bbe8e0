import { isIP, type Server, type Socket } from 'node:net';
import type { Log, WakeAfter } from '../domain/ports.ts';
import { type Hop, NotConnected, type SendOctets, type Source } from '../sip/hop.ts';
import { createConnectionTable } from './connection-table.ts';
import { canonicalAddress } from './ip-address.ts';
import type { OnMessage, TlsMaterial } from './sip-transport.ts';
import { StreamConnection, type StreamConnectionOptions } from './stream-connection.ts';
import { dial } from './stream-sockets.ts';

/** Every TCP and TLS connection, those opened from here and those that came in. */
export interface StreamTransport {
  /** Over the connection of a `Source`, or one that leads to the hop: opened if there is none (RFC 3261 18.1.1). */
  readonly send: SendOctets;
  /** Takes a connection that came in. */
  take(transport: 'tcp' | 'tls', socket: Socket): void;
  /** Ends a server that takes connections with everything else. */
  serve(server: Server): void;
  close(): void;
}

export interface StreamTransportOptions {
  readonly localAddress: string | null;
  readonly material: TlsMaterial;
  readonly onMessage: OnMessage;
  readonly onLost: (end: Hop) => void;
  readonly wakeAfter: WakeAfter;
  readonly log: Log;
}

export const MAX_CONNECTIONS = 1_024;

const keyOf = ({ transport, address, port, tlsName }: Hop): string => `${transport} ${address} ${port} ${tlsName}`;
const isSource = (to: Hop): to is Source => 'connection' in to;
const sentence = ({ transport, address, port }: Hop, problem: string): string =>
  `Cannot send SIP to ${address}:${port} over ${transport.toUpperCase()}: ${problem}.`;

export const createStreamTransport = (options: StreamTransportOptions): StreamTransport => {
  const { wakeAfter, log } = options;
  const inbound = createConnectionTable<StreamConnection>(MAX_CONNECTIONS);
  const outbound = createConnectionTable<StreamConnection>(MAX_CONNECTIONS);
  /** Of those opened from here, by where they lead. What came in proved no name, and is used for answers alone. */
  const byHop = new Map<string, StreamConnection>();
  const servers: Server[] = [];
  let lastNumber = 0;
  let isOpen = true;

  const touch = (connection: StreamConnection): void => {
    inbound.touch(connection);
    outbound.touch(connection);
  };

  const onClosed = (connection: StreamConnection, wasOpen: boolean, error: Error | null): void => {
    const { source } = connection;
    inbound.remove(connection);
    outbound.remove(connection);
    if (byHop.get(keyOf(source)) === connection) byHop.delete(keyOf(source));
    const { transport, address, port } = source;
    const words = wasOpen ? 'a SIP connection ended' : 'no SIP connection could be had';
    log.debug({ err: error, transport, address, port }, words);
    if (wasOpen) options.onLost(source);
  };

  const connectionOf = (parts: Pick<StreamConnectionOptions, 'socket' | 'end' | 'opensOn'>): StreamConnection => {
    lastNumber += 1;
    const connection = new StreamConnection(
      { ...parts, number: lastNumber, wakeAfter },
      {
        onClosed,
        onMessage: (octets, from, isUnframed) => {
          touch(connection);
          options.onMessage(octets, from, isUnframed);
        },
      },
    );
    return connection;
  };

  const connect = (end: Hop): StreamConnection => {
    const socket = dial(end, options.localAddress, options.material);
    const connection = connectionOf({ socket, end, opensOn: end.transport === 'tls' ? 'secureConnect' : 'connect' });
    byHop.set(keyOf(end), connection);
    outbound.add(connection);
    return connection;
  };

  const problemOf = (to: Hop): string | null => {
    if (!isOpen) return 'the SIP transport is closed';
    if (to.port < 1 || to.port > 65_535) return 'there is no such port';
    return isIP(to.address) === 0 ? 'this is no IP address' : null;
  };

  const route = (to: Hop): StreamConnection | undefined =>
    isSource(to)
      ? (inbound.find(to.connection) ?? outbound.find(to.connection))
      : (byHop.get(keyOf(to)) ?? connect({ ...to }));

  return {
    send: (octets, to, onError) => {
      const problem = problemOf(to);
      const connection = problem === null ? route(to) : undefined;
      if (!connection) {
        const error = new NotConnected(sentence(to, problem ?? 'the connection is closed'));
        queueMicrotask(() => onError?.(error));
        return;
      }
      touch(connection);
      connection.send(octets, onError);
    },
    take: (transport, socket) => {
      const { remoteAddress, remotePort } = socket;
      // A socket whose peer is gone already knows no address.
      if (!isOpen || remoteAddress === undefined || remotePort === undefined) {
        socket.destroy();
        return;
      }
      const end: Hop = { transport, address: canonicalAddress(remoteAddress), port: remotePort, tlsName: null };
      inbound.add(connectionOf({ socket, end, opensOn: null }));
    },
    serve: (server) => {
      server.maxConnections = 2 * MAX_CONNECTIONS;
      // A connection that could not be taken is nothing to end the server for.
      server.on('error', (error) => log.warn({ err: error }, 'a SIP connection could not be taken'));
      servers.push(server);
    },
    close: () => {
      isOpen = false;
      // Not waited for: a handshake that nobody ends would hold it up.
      for (const server of servers) server.close();
      for (const connection of [...inbound.all(), ...outbound.all()]) connection.close();
    },
  };
};
