import { isIPv4, isIPv6, SocketAddress } from 'node:net';

const MAPPED = /^::ffff:([0-9.]+)$/i;

/** An IP address in its one canonical form: what sockets report, IPv4 addresses as such (RFC 5952, RFC 4291 2.5.5.2). */
export const canonicalAddress = (address: string): string => {
  if (!isIPv6(address)) return address;
  const { address: shortest } = new SocketAddress({ address, family: 'ipv6' });
  return MAPPED.exec(shortest)?.[1] ?? shortest;
};

/** What a socket of IPv6 takes for any address. */
export const asIpv6 = (address: string): string => (isIPv4(address) ? `::ffff:${address}` : address);

/** IP versions that can be reached from a bound address; `any` from the IPv6 wildcard. */
export const familyOf = (boundAddress: string): 4 | 6 | 'any' => {
  if (boundAddress === '::') return 'any';
  return isIPv6(boundAddress) ? 6 : 4;
};
