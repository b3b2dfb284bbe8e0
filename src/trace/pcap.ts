import type { TracedMessage } from '../domain/sip-trace.ts';
import { tcpPacket, udpPacket, type Way } from './ip-packet.ts';

const MAGIC = 0xa1b2c3d4;
const MAX_PACKET_BYTES = 0x10000;
/** Packets begin with their IP header. */
const LINKTYPE_RAW = 101;
/** What fits into one packet with room for its headers; a longer message becomes several TCP segments. */
const MAX_SEGMENT_BYTES = 60_000;

const fileHeader = (): Uint8Array => {
  const header = Buffer.alloc(24);
  header.writeUInt32LE(MAGIC, 0);
  header.writeUInt16LE(2, 4);
  header.writeUInt16LE(4, 6);
  header.writeUInt32LE(MAX_PACKET_BYTES, 16);
  header.writeUInt32LE(LINKTYPE_RAW, 20);
  return header;
};

const recordOf = (seenAt: number, packet: Uint8Array): Uint8Array => {
  const header = Buffer.alloc(16);
  header.writeUInt32LE(Math.floor(seenAt / 1000), 0);
  header.writeUInt32LE((seenAt % 1000) * 1000, 4);
  header.writeUInt32LE(packet.length, 8);
  header.writeUInt32LE(packet.length, 12);
  return Buffer.concat([header, packet]);
};

const wayOf = ({ direction, local, remote }: TracedMessage): Way =>
  direction === 'sent' ? { from: local, to: remote } : { from: remote, to: local };

const nameOf = ({ from, to }: Way): string => `${from.address} ${from.port} ${to.address} ${to.port}`;

/** Numbers the octets of each direction of each connection, from 1. */
const createTcpStreams = () => {
  const nextOf = new Map<string, number>();
  return (way: Way, octets: Uint8Array): Uint8Array[] => {
    const acknowledged = nextOf.get(nameOf({ from: way.to, to: way.from })) ?? 1;
    const packets: Uint8Array[] = [];
    for (let at = 0; at < octets.length; at += MAX_SEGMENT_BYTES) {
      const segment = octets.subarray(at, at + MAX_SEGMENT_BYTES);
      const sequence = nextOf.get(nameOf(way)) ?? 1;
      packets.push(tcpPacket(way, segment, { sequence, acknowledged }));
      nextOf.set(nameOf(way), sequence + segment.length);
    }
    return packets;
  };
};

/**
 * The messages as a capture file that Wireshark opens: raw IP, made up around each message. What went over TLS is shown
 * as plain TCP. TCP connections begin in the middle, with the first message that was kept.
 */
export const toPcap = (messages: readonly TracedMessage[]): Uint8Array => {
  const tcpPackets = createTcpStreams();
  const packetsOf = (message: TracedMessage): Uint8Array[] =>
    message.transport === 'udp'
      ? [udpPacket(wayOf(message), message.octets)]
      : tcpPackets(wayOf(message), message.octets);
  const records = messages.flatMap((message) => packetsOf(message).map((packet) => recordOf(message.seenAt, packet)));
  return Buffer.concat([fileHeader(), ...records]);
};
