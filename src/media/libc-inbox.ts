import { constants } from 'node:os';
import { MAX_PACKET_BYTES, MAX_PACKETS_AT_ONCE } from './call-sockets.ts';
import type { Libc } from './libc.ts';

const EPOLL_CLOEXEC = 0o2000000;
const EPOLL_CTL_ADD = 1;
const EPOLLIN = 1;
const EPOLLERR = 8;
const MSG_DONTWAIT = 0x40;
const SOL_SOCKET = 1;
const SO_ERROR = 4;
const MSG_ERRQUEUE = 0x2000;
const { ECONNREFUSED } = constants.errno;
/** `struct epoll_event` is packed on x86-64 alone. */
const [EVENT_BYTES, DATA] = process.arch === 'x64' ? [12, 4] : [16, 8];

const EVENTS = 0;
const LENGTH = MAX_PACKETS_AT_ONCE * 16;
const FROM = LENGTH + 8;
const OCTETS = FROM + 32;

/** What has come in on many sockets: one question to the kernel, however many they are. */
export interface LibcInbox {
  /** From now on packets of this socket are told with its row. A socket that is closed is forgotten by the kernel. */
  watch(fd: number, row: number): void;
  /** Hands over a few packets; octets and source, a `sockaddr`, are there until the next. */
  read(
    onPacket: (row: number, octets: Uint8Array, from: Uint8Array) => void,
    onRefusal: (row: number, fd: number) => void,
  ): void;
}

export const createLibcInbox = (libc: Libc, keep: (fd: number) => void): LibcInbox => {
  const memory = new ArrayBuffer(OCTETS + MAX_PACKET_BYTES);
  const view = new DataView(memory);
  const start = libc.addressOf(memory);
  const from = new Uint8Array(memory, FROM, 28);
  const epoll = libc.epollCreate(EPOLL_CLOEXEC);
  if (epoll < 0) throw new Error(`epoll_create1 failed: error ${libc.errno()}`);
  keep(epoll);

  /** Octets of the next packet or, with `MSG_ERRQUEUE`, of one that ICMP brought back; -1 if there is none. */
  const receive = (fd: number, flags: number): number => {
    view.setUint32(LENGTH, 28, true);
    return libc.recvfrom(fd, start + OCTETS, MAX_PACKET_BYTES, MSG_DONTWAIT | flags, start + FROM, start + LENGTH);
  };
  /** Takes the error that the kernel would tell in the place of the next packet. */
  const isRefused = (fd: number): boolean => {
    view.setUint32(LENGTH, 4, true);
    libc.getsockopt(fd, SOL_SOCKET, SO_ERROR, start + FROM, start + LENGTH);
    return view.getUint32(FROM, true) === ECONNREFUSED;
  };
  /** What ICMP brought back takes the room of what comes in until it is read. */
  const dropReturned = (fd: number): void => {
    for (let count = 0; count < MAX_PACKETS_AT_ONCE && receive(fd, MSG_ERRQUEUE) >= 0; count += 1);
  };

  return {
    watch(fd, row) {
      view.setUint32(EVENTS, EPOLLIN, true);
      view.setUint32(EVENTS + DATA, row, true);
      view.setUint32(EVENTS + DATA + 4, fd, true);
      libc.epollCtl(epoll, EPOLL_CTL_ADD, fd, start + EVENTS);
    },
    read(onPacket, onRefusal) {
      const ready = libc.epollWait(epoll, start + EVENTS, MAX_PACKETS_AT_ONCE, 0);
      for (let event = 0; event < ready; event += 1) {
        const at = EVENTS + event * EVENT_BYTES;
        const row = view.getUint32(at + DATA, true);
        const fd = view.getUint32(at + DATA + 4, true);
        const hasErrors = (view.getUint32(at, true) & EPOLLERR) !== 0;
        if (hasErrors && isRefused(fd)) onRefusal(row, fd);
        if (hasErrors) dropReturned(fd);
        const length = receive(fd, 0);
        if (length > 0) onPacket(row, new Uint8Array(memory, OCTETS, length), from);
      }
    },
  };
};
