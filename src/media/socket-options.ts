import { MAX_PACKET_BYTES } from './call-sockets.ts';
import type { Libc } from './libc.ts';

const SOL_SOCKET = 1;
const SO_RCVBUF = 8;
const SO_ATTACH_FILTER = 26;
const IPPROTO_IP = 0;
const IP_TOS = 1;
const IP_RECVERR = 11;
const IPPROTO_IPV6 = 41;
const IPV6_RECVERR = 25;
const IPV6_TCLASS = 67;

/** Expedited forwarding (RFC 3246), the class of voice. */
const DSCP_EF = 46 << 2;
/** RTCP and keys are few; the kernel takes its own least if this is below it. */
const RECEIVE_BUFFER_BYTES = 4096;

/** Classic BPF: code, where to go on if true and if false, value. Offsets count from the UDP header. */
type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];
const LOAD_OCTET = 0x30;
const AND = 0x54;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const RETURN = 0x06;
const PAYLOAD_TYPE_AT = 9;

const DROP_ALL: readonly Instruction[] = [[RETURN, 0, 0, 0]];
const MAX_PAYLOAD_TYPES = 8;

/** RTCP, whose types are 64 to 95 where RTP's would be (RFC 5761 4), and RTP of these types; the rest is dropped. */
const letIn = (payloadTypes: readonly number[]): readonly Instruction[] => [
  [LOAD_OCTET, 0, 0, PAYLOAD_TYPE_AT],
  [AND, 0, 0, 0x7f],
  ...payloadTypes.map((type, i): Instruction => [IF_EQUAL, payloadTypes.length - i + 1, 0, type]),
  [IF_AT_LEAST, 0, 2, 64],
  [IF_AT_LEAST, 1, 0, 96],
  [RETURN, 0, 0, MAX_PACKET_BYTES],
  [RETURN, 0, 0, 0],
];

const FILTER = 16;

export interface SocketOptions {
  /** Sets what every socket of a call has: the class of voice, ICMP refusals told to the sender, nothing let in. */
  set(fd: number, isV6: boolean): void;
  /** Lets RTCP in, and RTP of these payload types. */
  letIn(fd: number, payloadTypes: readonly number[]): void;
}

export const createSocketOptions = (libc: Libc): SocketOptions => {
  const memory = new ArrayBuffer(256);
  const start = libc.addressOf(memory);
  const view = new DataView(memory);

  const set = (fd: number, level: number, name: number, value: number): void => {
    view.setInt32(0, value, true);
    libc.setsockopt(fd, level, name, start, 4);
  };
  /** A `struct sock_fprog` that points to the instructions behind it. */
  const attach = (fd: number, filter: readonly Instruction[]): void => {
    view.setUint16(FILTER, filter.length, true);
    view.setBigUint64(FILTER + 8, BigInt(start + FILTER + 16), true);
    for (const [i, [code, ifTrue, ifFalse, value]] of filter.entries()) {
      const at = FILTER + 16 + 8 * i;
      view.setUint16(at, code, true);
      view.setUint8(at + 2, ifTrue);
      view.setUint8(at + 3, ifFalse);
      view.setUint32(at + 4, value, true);
    }
    libc.setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, start + FILTER, 16);
  };

  const setAll = (fd: number, isV6: boolean): void => {
    attach(fd, DROP_ALL);
    set(fd, SOL_SOCKET, SO_RCVBUF, RECEIVE_BUFFER_BYTES);
    if (isV6) {
      set(fd, IPPROTO_IPV6, IPV6_TCLASS, DSCP_EF);
      set(fd, IPPROTO_IPV6, IPV6_RECVERR, 1);
    }
    // For IPv6 sockets too: they speak IPv4 to mapped addresses. Where they cannot, this fails and does no harm.
    set(fd, IPPROTO_IP, IP_TOS, DSCP_EF);
    set(fd, IPPROTO_IP, IP_RECVERR, 1);
  };

  return {
    set: setAll,
    letIn: (fd, payloadTypes) => attach(fd, letIn(payloadTypes.slice(0, MAX_PAYLOAD_TYPES))),
  };
};
