import { findParam } from './params.ts';
import type { SipUri } from './uri.ts';
import { type Address, DEFAULT_SIP_PORT } from './via.ts';

const TRANSPORTS = ['udp', 'tcp', 'tls'] as const;
export type TransportName = (typeof TRANSPORTS)[number];

/** Where a message is sent next, and over what. */
export interface Hop extends Address {
  readonly transport: TransportName;
  /** The name or IP address that the peer's certificate must prove; null unless the transport is TLS. */
  readonly tlsName: string | null;
}

/** Where a message came from. What is sent back to it goes by the same connection, or fails. */
export interface Source extends Hop {
  /** Number of the connection; null over UDP. */
  readonly connection: number | null;
}

/** Sends one message; if that is known to have failed, `onError` is called: once, later, never before this returns. */
export type SendOctets = (octets: Uint8Array, to: Hop, onError?: (error: Error) => void) => void;

/** Nothing was sent, since no connection could be had: the message may be sent another way. */
export class NotConnected extends Error {
  override readonly name = 'NotConnected';
}

const DEFAULT_SIPS_PORT = 5061;

/** Port of a host that states none (RFC 3261 19.1.2). */
export const defaultPortOf = (transport: TransportName): number =>
  transport === 'tls' ? DEFAULT_SIPS_PORT : DEFAULT_SIP_PORT;

/** Whether messages arrive once and in order, so that nobody has to repeat them. */
export const isReliable = (transport: TransportName): boolean => transport !== 'udp';

/**
 * The transport that a URI asks for: UDP if it states none, TLS if it is `sips` (RFC 3261 26.2.2, RFC 3263 4.1). Null
 * for one that is not spoken here.
 */
export const transportOfUri = (uri: SipUri): TransportName | null => {
  const stated = findParam(uri.params, 'transport')?.toLowerCase();
  if (uri.scheme === 'sips') return stated === 'udp' || !isSpoken(stated ?? 'tls') ? null : 'tls';
  return TRANSPORTS.find((name) => name === (stated ?? 'udp')) ?? null;
};

const isSpoken = (name: string): boolean => TRANSPORTS.some((known) => known === name);

export const udpHop = ({ address, port }: Address): Hop => ({ transport: 'udp', address, port, tlsName: null });

export const udpSource = (from: Address): Source => ({ ...udpHop(from), connection: null });

/**
 * Whether a response came from where its request went: over TCP and TLS from the very end of the connection, over UDP
 * from the IP address, since symmetric NATs and load balancers answer from other ports.
 */
export const cameFrom = (source: Hop, hop: Hop): boolean =>
  source.transport === hop.transport &&
  source.address === hop.address &&
  (hop.transport === 'udp' || source.port === hop.port);
