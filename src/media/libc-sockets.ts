import { isIPv4, isIPv6 } from 'node:net';
import { constants } from 'node:os';
import { getSystemErrorMap } from 'node:util';
import { type CallSockets, MAX_PAIR_TRIES, type NotOpened, type OnPacket } from './call-sockets.ts';
import { descriptorsOf } from './descriptors.ts';
import { type Libc, MSG_DONTWAIT } from './libc.ts';
import { createLibcInbox } from './libc-inbox.ts';
import type { LibcOutbox } from './libc-outbox.ts';
import { createSocketOptions } from './socket-options.ts';

const AF_INET = 2;
const AF_INET6 = 10;
const SOCK_DGRAM = 2;
const SOCK_NONBLOCK = 0o4000;
const SOCK_CLOEXEC = 0o2000000;
const { EACCES, EADDRINUSE, ECONNREFUSED, EMFILE } = constants.errno;

/** One row: a `struct msghdr` (56 octets), its two `struct iovec`, the peer's `sockaddr`, the RTP header. */
const ROW_BYTES = 128;
const [IOV, PEER, HEADER] = [56, 88, 116];
const PEER_BYTES = 28;
const HEADER_BYTES = 12;
const TWO_TO_32 = 2 ** 32;

const nameOf = (errno: number): string => getSystemErrorMap().get(-errno)?.join(': ') ?? `error ${errno}`;

/** An IPv4 or IPv6 address of 4 or 16 octets, as text. */
const textOf = (octets: Uint8Array): string =>
  octets.length === 4 ? octets.join('.') : (Buffer.from(octets).toString('hex').match(/.{4}/g) ?? []).join(':');

export interface LibcSocketsOptions {
  readonly bindAddress: string;
  readonly rows: number;
  readonly descriptors: SharedArrayBuffer;
  readonly outbox: LibcOutbox;
}

/** Sockets of the C library; header and frame of a packet are sent from where they lie. */
export const createLibcSockets = (libc: Libc, options: LibcSocketsOptions): CallSockets => {
  const isV6 = isIPv6(options.bindAddress);
  const addressBytes = isV6 ? 28 : 16;
  const memory = new ArrayBuffer((options.rows + 1) * ROW_BYTES);
  const view = new DataView(memory);
  const words = new Uint32Array(memory);
  const start = libc.addressOf(memory);
  /** The row behind the last is for addresses of our own. */
  const scratch = options.rows * ROW_BYTES;
  const descriptors = descriptorsOf(options.descriptors);
  const socketOptions = createSocketOptions(libc);
  const { outbox } = options;
  const inbox = createLibcInbox(libc, (epoll) => descriptors.keepEpoll(epoll));
  const addressAt = isV6 ? 8 : 4;
  const hostBytes = isV6 ? 16 : 4;

  /** Of the packet that is being handed over. */
  let latestFrom: Uint8Array = new Uint8Array(PEER_BYTES);

  const setPointer = (at: number, address: number): void => view.setBigUint64(at, BigInt(address), true);

  /** Writes a `sockaddr_in` or `sockaddr_in6`; false if the text is no address of the family of these sockets. */
  const writeAddress = (at: number, address: string, port: number): boolean => {
    new Uint8Array(memory, at, PEER_BYTES).fill(0);
    view.setUint16(at, isV6 ? AF_INET6 : AF_INET, true);
    view.setUint16(at + 2, port);
    const text = isV6 && isIPv4(address) ? `::ffff:${address}` : address;
    return libc.inetPton(isV6 ? AF_INET6 : AF_INET, text, start + at + addressAt) === 1;
  };

  const writeMessage = (row: number): void => {
    const at = row * ROW_BYTES;
    new Uint8Array(memory, at, ROW_BYTES).fill(0);
    setPointer(at, start + at + PEER);
    view.setUint32(at + 8, addressBytes, true);
    setPointer(at + 16, start + at + IOV);
    setPointer(at + 24, 2);
    setPointer(at + IOV, start + at + HEADER);
    setPointer(at + IOV + 8, HEADER_BYTES);
  };

  /** A bound socket, or the negative errno. */
  const bind = (port: number): number => {
    const fd = libc.socket(isV6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return -libc.errno();
    socketOptions.set(fd, isV6);
    writeAddress(scratch, options.bindAddress, port);
    if (libc.bind(fd, start + scratch, addressBytes) === 0) return fd;
    const errno = libc.errno();
    libc.close(fd);
    return -errno;
  };

  const portOf = (fd: number): number => {
    view.setUint32(scratch + 64, PEER_BYTES, true);
    libc.getsockname(fd, start + scratch, start + scratch + 64);
    return view.getUint16(scratch + 2);
  };

  /** Both sockets of a row, or the errno. */
  const bindPair = (row: number, wanted: number): number => {
    const rtp = bind(wanted);
    if (rtp < 0) return -rtp;
    const port = portOf(rtp);
    const rtcp = port % 2 === 0 ? bind(port + 1) : -EADDRINUSE;
    if (rtcp < 0) {
      libc.close(rtp);
      return -rtcp;
    }
    descriptors.set(row, rtp, rtcp);
    return 0;
  };

  const notOpened = (errno: number): NotOpened => {
    if (errno === EMFILE) {
      const reason = 'Too many files are open: raise the limit of open files (ulimit -n), each call needs two.';
      return { reason, isTaken: false };
    }
    const reason = `Cannot bind an RTP port on ${options.bindAddress}: ${nameOf(errno)}`;
    return { reason, isTaken: errno === EADDRINUSE || errno === EACCES };
  };

  const messageOf = (row: number): number => start + row * ROW_BYTES;

  const isPeer = (row: number, from: Uint8Array): boolean => {
    const peer = new Uint8Array(memory, row * ROW_BYTES + PEER + addressAt, hostBytes);
    return Buffer.compare(from.subarray(addressAt, addressAt + hostBytes), peer) === 0;
  };

  const handOver = (onPacket: OnPacket, row: number, octets: Uint8Array, from: Uint8Array): void => {
    latestFrom = from;
    onPacket(row, octets, isPeer(row, from));
  };

  return {
    headers: view,
    headerAt: (row) => row * ROW_BYTES + HEADER,
    frames: (shared) => ({ octets: new Uint8Array(shared), address: libc.addressOf(shared) }),
    open(row, port, onOpened) {
      let errno = bindPair(row, port);
      for (let tried = 1; port === 0 && errno === EADDRINUSE && tried < MAX_PAIR_TRIES; tried += 1) {
        errno = bindPair(row, 0);
      }
      if (errno !== 0) return onOpened(notOpened(errno));
      writeMessage(row);
      inbox.watch(descriptors.rtcp(row), row);
      onOpened(portOf(descriptors.rtp(row)));
    },
    setPeer(row, { address, port }) {
      if (writeAddress(row * ROW_BYTES + PEER, address, port) && port > 0) return null;
      return `"${address}" port ${port} is not a numeric address that ${options.bindAddress} can send to.`;
    },
    put(row, frames, offset, length) {
      const word = (row * ROW_BYTES + IOV + 16) >> 2;
      const from = frames.address + offset;
      words[word] = from;
      words[word + 1] = from / TWO_TO_32;
      words[word + 2] = length;
      outbox.put(descriptors.rtp(row), messageOf(row), row);
    },
    flush({ onFailure, onPeerRefusal }) {
      outbox.flush((row, errno) => {
        if (errno !== ECONNREFUSED) return onFailure(row, errno);
        onPeerRefusal(row);
        if (libc.sendmsg(descriptors.rtp(row), messageOf(row), MSG_DONTWAIT) < 0) onFailure(row, libc.errno());
      });
    },
    listen(row, payloadTypes) {
      for (const fd of [descriptors.rtp(row), descriptors.rtcp(row)]) socketOptions.letIn(fd, payloadTypes);
    },
    receive(onPacket) {
      inbox.read((row, octets, from) => handOver(onPacket, row, octets, from));
    },
    receiveRtp(row, onPacket) {
      return inbox.readFrom(descriptors.rtp(row), (octets, from) => handOver(onPacket, row, octets, from));
    },
    source: () => ({
      address: textOf(latestFrom.subarray(addressAt, addressAt + hostBytes)),
      port: (latestFrom[2] ?? 0) * 256 + (latestFrom[3] ?? 0),
    }),
    dropReturned: (row) => inbox.dropReturned(descriptors.rtp(row)),
    sendRtcp(row, packet, length, to) {
      if (!writeAddress(scratch, to.address, to.port)) return;
      const fd = to.isMux ? descriptors.rtp(row) : descriptors.rtcp(row);
      libc.sendto(fd, packet.address, length, MSG_DONTWAIT, start + scratch, addressBytes);
    },
    close(row, onClosed) {
      descriptors.closeRow(row, libc.close);
      onClosed();
    },
  };
};
