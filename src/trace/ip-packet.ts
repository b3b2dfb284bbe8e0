import { ipOctets } from './ip-octets.ts';

const UDP = 17;
const TCP = 6;
const IPV6_HEADER_BYTES = 40;
const IPV4_HEADER_BYTES = 20;
const HOP_LIMIT = 64;
const PUSH_AND_ACK = 0x18;

export interface Way {
  readonly from: { readonly address: string; readonly port: number };
  readonly to: { readonly address: string; readonly port: number };
}

/** Ones' complement of the ones' complement sum of all 16-bit words (RFC 1071). */
const checksum = (...parts: readonly Uint8Array[]): number => {
  const octets = Buffer.concat(parts);
  let sum = 0;
  for (let at = 0; at < octets.length; at += 2) sum += ((octets[at] ?? 0) << 8) | (octets[at + 1] ?? 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + Math.floor(sum / 0x10000);
  return ~sum & 0xffff;
};

/** What the checksums of UDP and TCP cover beside themselves (RFC 768, RFC 9293 3.1, RFC 8200 8.1). */
const pseudoHeader = (from: Uint8Array, to: Uint8Array, protocol: number, length: number): Uint8Array => {
  const rest = Buffer.alloc(8);
  rest.writeUInt32BE(length, 0);
  rest[7] = protocol;
  return Buffer.concat([from, to, rest]);
};

const ipv4Header = (from: Uint8Array, to: Uint8Array, protocol: number, payloadBytes: number): Uint8Array => {
  const header = Buffer.alloc(IPV4_HEADER_BYTES);
  header[0] = 0x45;
  header.writeUInt16BE(IPV4_HEADER_BYTES + payloadBytes, 2);
  header.writeUInt16BE(0x4000, 6);
  header[8] = HOP_LIMIT;
  header[9] = protocol;
  header.set(from, 12);
  header.set(to, 16);
  header.writeUInt16BE(checksum(header), 10);
  return header;
};

const ipv6Header = (from: Uint8Array, to: Uint8Array, protocol: number, payloadBytes: number): Uint8Array => {
  const header = Buffer.alloc(IPV6_HEADER_BYTES);
  header[0] = 0x60;
  header.writeUInt16BE(payloadBytes, 4);
  header[6] = protocol;
  header[7] = HOP_LIMIT;
  header.set(from, 8);
  header.set(to, 24);
  return header;
};

/** Puts the checksum at its place in a segment, and IP around it. */
const inIp = ({ from, to }: Way, protocol: number, segment: Buffer, checksumAt: number): Uint8Array => {
  const [source, target] = [ipOctets(from.address), ipOctets(to.address)];
  const sum = checksum(pseudoHeader(source, target, protocol, segment.length), segment);
  // RFC 768: a sum of 0 is sent as all ones, since 0 means none.
  segment.writeUInt16BE(sum === 0 && protocol === UDP ? 0xffff : sum, checksumAt);
  const header = source.length === 4 ? ipv4Header : ipv6Header;
  return Buffer.concat([header(source, target, protocol, segment.length), segment]);
};

export const udpPacket = (way: Way, payload: Uint8Array): Uint8Array => {
  const header = Buffer.alloc(8);
  header.writeUInt16BE(way.from.port, 0);
  header.writeUInt16BE(way.to.port, 2);
  header.writeUInt16BE(8 + payload.length, 4);
  return inIp(way, UDP, Buffer.concat([header, payload]), 6);
};

/** `sequence` and `acknowledged` are numbers of octets, modulo 2^32. */
export const tcpPacket = (
  way: Way,
  payload: Uint8Array,
  numbers: { readonly sequence: number; readonly acknowledged: number },
): Uint8Array => {
  const header = Buffer.alloc(20);
  header.writeUInt16BE(way.from.port, 0);
  header.writeUInt16BE(way.to.port, 2);
  header.writeUInt32BE(numbers.sequence >>> 0, 4);
  header.writeUInt32BE(numbers.acknowledged >>> 0, 8);
  header[12] = 5 << 4;
  header[13] = PUSH_AND_ACK;
  header.writeUInt16BE(0xffff, 14);
  return inIp(way, TCP, Buffer.concat([header, payload]), 16);
};
