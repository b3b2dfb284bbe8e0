import type { Server } from 'node:net';
import type { Log, WakeAfter } from '../domain/ports.ts';
import type { Hop } from '../sip/hop.ts';
import type { Address } from '../sip/via.ts';
import type { OnMessage, SipTransport, TlsMaterial } from './sip-transport.ts';
import { listenTcp, listenTls } from './stream-sockets.ts';
import { createStreamTransport, type StreamTransport } from './stream-transport.ts';
import { bindError, openUdpTransport } from './udp-transport.ts';

export interface SipTransportOptions {
  /** Of UDP and TCP; TLS listens on the next port. Port 0 takes any free ones. */
  readonly listen: Address;
  readonly tls: TlsMaterial;
  readonly wakeAfter: WakeAfter;
  readonly log: Log;
}

const WILDCARDS: readonly string[] = ['0.0.0.0', '::'];
/** How often a pair of ports is looked for that are free for both UDP and TCP. */
const TRIES_OF_ANY_PORT = 20;

interface Pair {
  readonly udp: SipTransport;
  readonly tcp: Server;
}

const openPair = async (listen: Address, streams: StreamTransport): Promise<Pair> => {
  const udp = await openUdpTransport(listen);
  const where = { address: listen.address, port: udp.port };
  try {
    return { udp, tcp: await listenTcp(where, (socket) => streams.take('tcp', socket)) };
  } catch (error) {
    await udp.close();
    throw bindError('TCP', where, error as NodeJS.ErrnoException);
  }
};

/** UDP and TCP on one port. Any free port is one that is free for both. */
const openSamePort = async (listen: Address, streams: StreamTransport): Promise<Pair> => {
  for (let tries = 1; ; tries++) {
    try {
      return await openPair(listen, streams);
    } catch (error) {
      if (listen.port !== 0 || tries === TRIES_OF_ANY_PORT) throw error;
    }
  }
};

/** Port that TLS listens on beside a stated port of UDP and TCP; without a certificate nobody listens there. */
const tlsPortBeside = (port: number): number => Math.min(port + 1, 65_535);

/** Listens for TLS if there is a certificate to show. The port that peers are told, either way. */
const openTls = async (options: SipTransportOptions, udpPort: number, streams: StreamTransport): Promise<number> => {
  const { listen, tls } = options;
  const port = tlsPortBeside(udpPort);
  if (!tls.own) return port;
  const where = { address: listen.address, port: listen.port === 0 ? 0 : port };
  try {
    const server = await listenTls(where, tls, (socket) => streams.take('tls', socket));
    streams.serve(server);
    const bound = server.address();
    return bound !== null && typeof bound === 'object' ? bound.port : port;
  } catch (error) {
    throw bindError('TLS', where, error as NodeJS.ErrnoException);
  }
};

/** Who is set only once somebody listens. */
interface Hearers {
  onMessage: OnMessage;
  onLost: (end: Hop) => void;
}

const createStreams = ({ listen, tls, wakeAfter, log }: SipTransportOptions, hearers: Hearers): StreamTransport =>
  createStreamTransport({
    localAddress: WILDCARDS.includes(listen.address) ? null : listen.address,
    material: tls,
    onMessage: (...message) => hearers.onMessage(...message),
    onLost: (end) => hearers.onLost(end),
    wakeAfter,
    log,
  });

/** UDP and streams as one. */
const combine = (udp: SipTransport, streams: StreamTransport, tlsPort: number, hearers: Hearers): SipTransport => ({
  address: udp.address,
  port: udp.port,
  portOf: (transport) => (transport === 'tls' ? tlsPort : udp.port),
  send: (octets, to, onError) => (to.transport === 'udp' ? udp : streams).send(octets, to, onError),
  onMessage: (handler) => {
    hearers.onMessage = handler;
    udp.onMessage(handler);
  },
  onLost: (handler) => {
    hearers.onLost = handler;
  },
  close: () => {
    streams.close();
    return udp.close();
  },
});

/**
 * Listens for SIP over UDP, TCP and, with a certificate of our own, TLS. Rejects with a sentence that names the address
 * that cannot be bound.
 */
export const openSipTransport = async (options: SipTransportOptions): Promise<SipTransport> => {
  const hearers: Hearers = { onMessage: () => undefined, onLost: () => undefined };
  const streams = createStreams(options, hearers);
  const { udp, tcp } = await openSamePort(options.listen, streams);
  streams.serve(tcp);
  try {
    return combine(udp, streams, await openTls(options, udp.port, streams), hearers);
  } catch (error) {
    streams.close();
    await udp.close();
    throw error;
  }
};
