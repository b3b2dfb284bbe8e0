import { type Address, DEFAULT_SIP_PORT } from './via.ts';

export type TransportName = 'udp' | 'tcp' | 'tls';

/** Where a message is sent next, and over what. */
export interface Hop extends Address {
  readonly transport: TransportName;
  /** The name or IP address that the peer's certificate must prove; null unless the transport is TLS. */
  readonly tlsName: string | null;
}

const DEFAULT_SIPS_PORT = 5061;

/** Port of a host that states none (RFC 3261 19.1.2). */
export const defaultPortOf = (transport: TransportName): number =>
  transport === 'tls' ? DEFAULT_SIPS_PORT : DEFAULT_SIP_PORT;

/** Whether messages arrive once and in order, so that nobody has to repeat them. */
export const isReliable = (transport: TransportName): boolean => transport !== 'udp';

export const udpHop = ({ address, port }: Address): Hop => ({ transport: 'udp', address, port, tlsName: null });
