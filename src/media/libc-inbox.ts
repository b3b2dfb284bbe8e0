import { constants } from 'node:os';
import { MAX_PACKET_BYTES, MAX_PACKETS_AT_ONCE, MAX_PACKETS_OF_A_CALL } from './call-sockets.ts';
import { type Libc, MSG_DONTWAIT } from './libc.ts';

const EPOLL_CLOEXEC = 0o2000000;
const EPOLL_CTL_ADD = 1;
const EPOLLIN = 1;
const MSG_ERRQUEUE = 0x2000;
const { ECONNREFUSED } = constants.errno;
/** `struct epoll_event` is packed on x86-64 alone. */
const [EVENT_BYTES, DATA] = process.arch === 'x64' ? [12, 4] : [16, 8];

const EVENTS = 0;
const LENGTH = MAX_PACKETS_AT_ONCE * 16;
const FROM = LENGTH + 8;
const OCTETS = FROM + 32;

/** What has come in. */
export interface LibcInbox {
  /** From now on packets of this socket are told with its row. A socket that is closed is forgotten by the kernel. */
  watch(fd: number, row: number): void;
  /** Hands over a few packets of watched sockets; octets and source, a `sockaddr`, are there until the next. */
  read(onPacket: (row: number, octets: Uint8Array, from: Uint8Array) => void): void;
  /** The same of one socket that is not watched; whether there was a refusal among them. */
  readFrom(fd: number, onPacket: (octets: Uint8Array, from: Uint8Array) => void): boolean;
  /** Reads away what ICMP brought back. */
  dropReturned(fd: number): void;
}

export const createLibcInbox = (libc: Libc, keep: (fd: number) => void): LibcInbox => {
  const memory = new ArrayBuffer(OCTETS + MAX_PACKET_BYTES);
  const view = new DataView(memory);
  const start = libc.addressOf(memory);
  const from = new Uint8Array(memory, FROM, 28);
  const epoll = libc.epollCreate(EPOLL_CLOEXEC);
  if (epoll < 0) throw new Error(`epoll_create1 failed: error ${libc.errno()}`);
  keep(epoll);

  /**
   * Octets of the next packet, or of one that ICMP brought back, or the negative errno: EAGAIN if there is none, an ICMP
   * refusal in a packet's place.
   */
  const receive = (fd: number, flags = 0): number => {
    view.setUint32(LENGTH, 28, true);
    const how = MSG_DONTWAIT | flags;
    const length = libc.recvfrom(fd, start + OCTETS, MAX_PACKET_BYTES, how, start + FROM, start + LENGTH);
    return length < 0 ? -libc.errno() : length;
  };
  const dropReturned = (fd: number): void => {
    for (let count = 0; count < MAX_PACKETS_AT_ONCE && receive(fd, MSG_ERRQUEUE) >= 0; count += 1);
  };
  const received = (length: number): Uint8Array => new Uint8Array(memory, OCTETS, length);

  return {
    watch(fd, row) {
      view.setUint32(EVENTS, EPOLLIN, true);
      view.setUint32(EVENTS + DATA, row, true);
      view.setUint32(EVENTS + DATA + 4, fd, true);
      libc.epollCtl(epoll, EPOLL_CTL_ADD, fd, start + EVENTS);
    },
    read(onPacket) {
      const ready = libc.epollWait(epoll, start + EVENTS, MAX_PACKETS_AT_ONCE, 0);
      for (let event = 0; event < ready; event += 1) {
        const at = EVENTS + event * EVENT_BYTES + DATA;
        const fd = view.getUint32(at + 4, true);
        const length = receive(fd);
        if (length > 0) onPacket(view.getUint32(at, true), received(length), from);
        else if (length < 0) dropReturned(fd);
      }
    },
    readFrom(fd, onPacket) {
      let wasRefused = false;
      for (let read = 0; read < MAX_PACKETS_OF_A_CALL; read += 1) {
        const length = receive(fd);
        if (length > 0) onPacket(received(length), from);
        else if (length === -ECONNREFUSED) wasRefused = true;
        else if (length < 0) break;
      }
      return wasRefused;
    },
    dropReturned,
  };
};
