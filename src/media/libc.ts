import { createRequire } from 'node:module';

/** Functions of the C library, on addresses in the memory of the process. Each answers -1 for a failure. */
export interface Libc {
  /** Where a buffer starts. It does not move, and lives as long as it is referred to. */
  addressOf(memory: ArrayBufferLike): number;
  errno(): number;
  socket(family: number, type: number, protocol: number): number;
  bind(fd: number, address: number, length: number): number;
  getsockname(fd: number, address: number, length: number): number;
  setsockopt(fd: number, level: number, name: number, value: number, length: number): number;
  getsockopt(fd: number, level: number, name: number, value: number, length: number): number;
  sendmsg(fd: number, message: number, flags: number): number;
  sendto(fd: number, octets: number, length: number, flags: number, to: number, toLength: number): number;
  recvfrom(fd: number, octets: number, length: number, flags: number, from: number, fromLength: number): number;
  epollCreate(flags: number): number;
  epollCtl(epoll: number, operation: number, fd: number, event: number): number;
  epollWait(epoll: number, events: number, count: number, timeoutMs: number): number;
  close(fd: number): number;
  /** 1 if the text was an address of the family. */
  inetPton(family: number, text: string, into: number): number;
  mmap(address: number, length: number, protection: number, flags: number, fd: number, offset: number): number;
  ioUringSetup(entries: number, params: number): number;
  /** Answers how many of the submissions it took. */
  ioUringEnter(ring: number, toSubmit: number): number;
  /** Memory of the process as a buffer, for as long as it is mapped. */
  memoryAt(address: number, length: number): ArrayBuffer;
}

/** Flag of `sendmsg`, `sendto` and `recvfrom`: never wait. */
export const MSG_DONTWAIT = 0x40;
/** The same on all of these architectures. */
const [IO_URING_SETUP, IO_URING_ENTER] = [425, 426];

/** Structures are laid out below for these: 64 bits, the lowest octet first. */
const ARCHITECTURES = ['x64', 'arm64', 'riscv64'];

/** Throws if this is no Linux that koffi knows. */
export const loadLibc = (): Libc => {
  if (process.platform !== 'linux' || !ARCHITECTURES.includes(process.arch)) {
    throw new Error(`not made for ${process.platform} on ${process.arch}`);
  }
  // Not an import: where koffi is missing or broken, the portable sockets do.
  const koffi: typeof import('koffi') = createRequire(import.meta.url)('koffi');
  const libc = koffi.load(null);
  const pointer = 'uintptr_t';
  const ioUringSetup = libc.func('syscall', 'long', ['long', 'int', pointer]);
  const ioUringEnter = libc.func('syscall', 'long', ['long', 'int', 'int', 'int', 'int', pointer, 'size_t']);
  return {
    addressOf: (memory) => Number(koffi.address(memory)),
    errno: () => koffi.errno(),
    socket: libc.func('socket', 'int', ['int', 'int', 'int']),
    bind: libc.func('bind', 'int', ['int', pointer, 'int']),
    getsockname: libc.func('getsockname', 'int', ['int', pointer, pointer]),
    setsockopt: libc.func('setsockopt', 'int', ['int', 'int', 'int', pointer, 'int']),
    getsockopt: libc.func('getsockopt', 'int', ['int', 'int', 'int', pointer, pointer]),
    sendmsg: libc.func('sendmsg', 'int', ['int', pointer, 'int']),
    sendto: libc.func('sendto', 'int', ['int', pointer, 'size_t', 'int', pointer, 'int']),
    recvfrom: libc.func('recvfrom', 'int', ['int', pointer, 'size_t', 'int', pointer, pointer]),
    epollCreate: libc.func('epoll_create1', 'int', ['int']),
    epollCtl: libc.func('epoll_ctl', 'int', ['int', 'int', 'int', pointer]),
    epollWait: libc.func('epoll_wait', 'int', ['int', pointer, 'int', 'int']),
    close: libc.func('close', 'int', ['int']),
    inetPton: libc.func('inet_pton', 'int', ['int', 'str', pointer]),
    mmap: libc.func('mmap', 'int64', [pointer, 'size_t', 'int', 'int', 'int', 'int64']),
    ioUringSetup: (entries, params) => ioUringSetup(IO_URING_SETUP, entries, params),
    ioUringEnter: (ring, toSubmit) => ioUringEnter(IO_URING_ENTER, ring, toSubmit, 0, 0, 0, 0),
    memoryAt: (address, length) => koffi.view(address, length),
  };
};
