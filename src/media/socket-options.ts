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
/** Nothing is read yet, so nothing need be kept; the kernel takes its own least if this is below it. */
const RECEIVE_BUFFER_BYTES = 4096;
/** `return 0` in classic BPF: the kernel keeps no octet of any packet. */
const DROP_ALL = { code: 0x06, jumpTrue: 0, jumpFalse: 0, value: 0 };

const FILTER = 16;

/** Sets what every socket of a call has: the class of voice, ICMP refusals told to the sender, nothing let in. */
export const createSocketOptions = (libc: Libc): ((fd: number, isV6: boolean) => void) => {
  const memory = new ArrayBuffer(64);
  const start = libc.addressOf(memory);
  const view = new DataView(memory);

  const set = (fd: number, level: number, name: number, value: number): void => {
    view.setInt32(0, value, true);
    libc.setsockopt(fd, level, name, start, 4);
  };
  /** A `struct sock_fprog` that points to the one instruction behind it. */
  const dropAll = (fd: number): void => {
    view.setUint16(FILTER, 1, true);
    view.setBigUint64(FILTER + 8, BigInt(start + FILTER + 16), true);
    view.setUint16(FILTER + 16, DROP_ALL.code, true);
    view.setUint8(FILTER + 18, DROP_ALL.jumpTrue);
    view.setUint8(FILTER + 19, DROP_ALL.jumpFalse);
    view.setUint32(FILTER + 20, DROP_ALL.value, true);
    libc.setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, start + FILTER, 16);
  };

  return (fd, isV6) => {
    dropAll(fd);
    set(fd, SOL_SOCKET, SO_RCVBUF, RECEIVE_BUFFER_BYTES);
    if (isV6) {
      set(fd, IPPROTO_IPV6, IPV6_TCLASS, DSCP_EF);
      set(fd, IPPROTO_IPV6, IPV6_RECVERR, 1);
    }
    // For IPv6 sockets too: they speak IPv4 to mapped addresses. Where they cannot, this fails and does no harm.
    set(fd, IPPROTO_IP, IP_TOS, DSCP_EF);
    set(fd, IPPROTO_IP, IP_RECVERR, 1);
  };
};
