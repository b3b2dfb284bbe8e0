/** Why an address cannot be sent voice to; the words complete "the media address …". */

const IPV4 = /^(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\.(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])){3}$/;
const IPV6_GROUP = /^[0-9a-f]{1,4}$/;

export const isIpv4 = (text: string): boolean => IPV4.test(text);

/** RFC 4291 2.2, an embedded IPv4 address as the last part included. */
export const isIpv6 = (text: string): boolean => {
  const halves = text.toLowerCase().split('::');
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1) ?? '';
  const width = groups.length + (isIpv4(last) ? 1 : 0);
  const groupsFit = groups.every((group, i) => IPV6_GROUP.test(group) || (i === groups.length - 1 && isIpv4(group)));
  return halves.length <= 2 && groupsFit && text.includes(':') && (halves.length === 2 ? width < 8 : width === 8);
};

const octetsOf = (address: string): readonly number[] => address.split('.').map(Number);

/** The eight groups of an IPv6 address in lower case, an embedded IPv4 address as the two that it stands for. */
const groupsOf = (address: string): readonly number[] => {
  const embedded = /[0-9.]+$/.exec(address)?.[0] ?? '';
  const [a = 0, b = 0, c = 0, d = 0] = octetsOf(embedded);
  const plain = embedded.includes('.')
    ? `${address.slice(0, -embedded.length)}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
    : address;
  const [head = [], tail = []] = plain.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const zeros = Array<string>(plain.includes('::') ? 8 - head.length - tail.length : 0).fill('0');
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
};

/** The IPv4 address that an IPv6 one carries: mapped, compatible (RFC 4291 2.5.5), NAT64 (RFC 6052) or 6to4 (RFC 3056). */
const carriedIpv4 = (groups: readonly number[]): string | null => {
  const text = (high = 0, low = 0): string => [high >> 8, high & 255, low >> 8, low & 255].join('.');
  const prefix = groups.slice(0, 6).join(' ');
  if (['0 0 0 0 0 65535', '0 0 0 0 65535 0', '100 65435 0 0 0 0'].includes(prefix)) return text(groups[6], groups[7]);
  if (prefix === '0 0 0 0 0 0' && groups[6] !== 0) return text(groups[6], groups[7]);
  return groups[0] === 0x2002 ? text(groups[1], groups[2]) : null;
};

const problemOfIpv4 = (address: string): string | null => {
  const [first = 0] = octetsOf(address);
  if (address === '255.255.255.255') return 'is the broadcast address';
  if (first === 0) return 'is unspecified';
  if (first >= 224 && first < 240) return 'is a multicast address';
  if (first >= 240) return 'is reserved';
  return null;
};

const problemOfIpv6 = (groups: readonly number[]): string | null => {
  if (groups.every((group) => group === 0)) return 'is unspecified';
  return (groups[0] ?? 0) >> 8 === 0xff ? 'is a multicast address' : null;
};

const isLoopbackIpv6 = (groups: readonly number[]): boolean => groups.every((group, i) => group === (i === 7 ? 1 : 0));

/** Whether an address is this machine's own, IPv4 inside IPv6 included. */
export const isLoopback = (text: string): boolean => {
  const address = text.toLowerCase();
  if (isIpv4(address)) return address.startsWith('127.');
  if (!isIpv6(address)) return false;
  const groups = groupsOf(address);
  return isLoopbackIpv6(groups) || (carriedIpv4(groups)?.startsWith('127.') ?? false);
};

/** Null if voice may be sent there. Loopback is for peers that are on this machine themselves. */
export const problemOfAddress = (text: string, allowLoopback: boolean): string | null => {
  const address = text.toLowerCase();
  if (!isIpv4(address) && !isIpv6(address)) return 'is no IP address';
  if (isLoopback(address)) return allowLoopback ? null : 'is a loopback address';
  if (isIpv4(address)) return problemOfIpv4(address);
  const groups = groupsOf(address);
  const carried = carriedIpv4(groups);
  return carried === null ? problemOfIpv6(groups) : problemOfIpv4(carried);
};
