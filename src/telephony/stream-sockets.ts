import { connect as connectTcp, createServer as createTcpServer, isIP, type Server, type Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer, type TLSSocket } from 'node:tls';
import type { Hop } from '../sip/hop.ts';
import type { Address } from '../sip/via.ts';
import type { TlsMaterial } from './sip-transport.ts';
import { identityProblem } from './tls-identity.ts';

const TLS_HANDSHAKE_WITHIN_MS = 10_000;

const ownParts = ({ own }: TlsMaterial) => (own ? { cert: own.certificate, key: own.key } : {});
const trustParts = ({ authorities }: TlsMaterial) => (authorities ? { ca: authorities } : {});

/** RFC 5922: the chain must be trusted, and the certificate prove the name that led here; SNI says the name. */
const dialTls = (hop: Hop, from: object, material: TlsMaterial): TLSSocket => {
  const name = hop.tlsName ?? hop.address;
  return connectTls({
    ...from,
    host: hop.address,
    port: hop.port,
    ...(isIP(name) === 0 ? { servername: name } : {}),
    ...ownParts(material),
    ...trustParts(material),
    checkServerIdentity: (_host, certificate) => identityProblem(certificate.raw, name),
  });
};

/** Begins a connection; `localAddress` is where it comes from, null for what the system finds best. Never throws. */
export const dial = (hop: Hop, localAddress: string | null, material: TlsMaterial): Socket => {
  const from = localAddress === null ? {} : { localAddress };
  return hop.transport === 'tls'
    ? dialTls(hop, from, material)
    : connectTcp({ ...from, host: hop.address, port: hop.port });
};

const bind = (server: Server, { address, port }: Address): Promise<Server> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: address, port }, () => {
      server.removeListener('error', reject);
      resolve(server);
    });
  });

export const listenTcp = (listen: Address, onSocket: (socket: Socket) => void): Promise<Server> =>
  bind(createTcpServer(onSocket), listen);

export const listenTls = (
  listen: Address,
  material: TlsMaterial,
  onSocket: (socket: Socket) => void,
): Promise<Server> => {
  const server = createTlsServer({ ...ownParts(material), handshakeTimeout: TLS_HANDSHAKE_WITHIN_MS }, onSocket);
  // Who does not speak TLS is cut off; there is nobody to tell.
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  return bind(server, listen);
};
