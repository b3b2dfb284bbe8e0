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

const problemOfIpv4 = (address: string): string | null => {
  const first = Number(address.split('.', 1)[0]);
  if (address === '255.255.255.255') return 'is the broadcast address';
  if (first === 0) return 'is unspecified';
  if (first >= 224 && first < 240) return 'is a multicast address';
  if (first >= 240) return 'is reserved';
  return null;
};

const problemOfIpv6 = (address: string): string | null => {
  const mapped = /^::ffff:([0-9.]+)$/.exec(address)?.[1];
  if (mapped) return problemOfIpv4(mapped);
  if (/^[0:]+$/.test(address)) return 'is unspecified';
  return address.startsWith('ff') ? 'is a multicast address' : null;
};

const isLoopback = (address: string): boolean =>
  /^(?:::ffff:)?127\./.test(address) || /^(?:0{0,4}:){2,7}0{0,3}1$/.test(address);

/** Null if voice may be sent there. Loopback is for peers that are on this machine themselves. */
export const problemOfAddress = (text: string, allowLoopback: boolean): string | null => {
  const address = text.toLowerCase();
  if (!isIpv4(address) && !isIpv6(address)) return 'is no IP address';
  if (!allowLoopback && isLoopback(address)) return 'is a loopback address';
  return isIpv4(address) ? problemOfIpv4(address) : problemOfIpv6(address);
};
