const GROUPS = 8;

const octetsOfIpv4 = (address: string): number[] => address.split('.').map(Number);

const groupsOf = (part: string): string[] => (part === '' ? [] : part.split(':'));

/** An IPv4 tail, `::ffff:192.0.2.1`, as two groups. */
const withoutIpv4Tail = (address: string): string =>
  address.replace(/[0-9.]+\.[0-9]+$/, (tail) => {
    const [a = 0, b = 0, c = 0, d = 0] = octetsOfIpv4(tail);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });

const octetsOfIpv6 = (address: string): number[] => {
  const [before = '', after] = withoutIpv4Tail(address.replace(/%.*$/, '')).split('::');
  const [front, back] = [groupsOf(before), groupsOf(after ?? '')];
  const zeros = new Array<string>(Math.max(0, GROUPS - front.length - back.length)).fill('0');
  return [...front, ...zeros, ...back].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
};

/** The 4 or 16 octets of an IP address that is one. */
export const ipOctets = (address: string): Uint8Array =>
  Uint8Array.from(address.includes(':') ? octetsOfIpv6(address) : octetsOfIpv4(address));
