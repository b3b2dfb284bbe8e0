import { BlockList, isIP } from 'node:net';

/** A range of IP addresses. */
export interface AddressRange {
  readonly address: string;
  readonly prefixBits: number;
}

/**
 * What is not public (IANA's special-purpose registries, RFC 6890): private, shared, local, documentation, multicast
 * and reserved addresses, and those of IPv6 that lead into IPv4 (6to4, Teredo).
 */
const NOT_PUBLIC = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
];

/** All of IPv6 that is routed on the internet; NAT64, mapped, unique local and link-local addresses lie outside. */
const PUBLIC_IPV6: AddressRange = { address: '2000::', prefixBits: 3 };

/** Whether webhooks may be posted to an address: to public ones, and to those allowed by the operator. */
export type AddressGate = (address: string) => boolean;

export const createAddressGate = (allowed: readonly AddressRange[]): AddressGate => {
  const isAllowed = within(allowed);
  const isSpecial = within(NOT_PUBLIC.map(rangeOf));
  const isPublicIpv6 = within([PUBLIC_IPV6]);
  return (address) => {
    if (isIP(address) === 0) return false;
    if (isAllowed(address)) return true;
    return !isSpecial(address) && (isIP(address) === 4 || isPublicIpv6(address));
  };
};

const rangeOf = (text: string): AddressRange => {
  const [address = '', prefix] = text.split('/');
  return { address, prefixBits: Number(prefix) };
};

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6');

const within = (ranges: readonly AddressRange[]): ((address: string) => boolean) => {
  const list = new BlockList();
  for (const { address, prefixBits } of ranges) list.addSubnet(address, prefixBits, familyOf(address));
  return (address) => list.check(address, familyOf(address));
};
