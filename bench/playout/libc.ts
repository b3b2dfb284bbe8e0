import koffi from 'koffi';

/** The C library without a wrapper, for the sink and for the floor that the media thread is measured against. */
const library = koffi.load(null);
const pointer = 'uintptr_t';

export const libc = {
  socket: library.func('socket', 'int', ['int', 'int', 'int']),
  bind: library.func('bind', 'int', ['int', pointer, 'int']),
  setsockopt: library.func('setsockopt', 'int', ['int', 'int', 'int', pointer, 'int']),
  getsockname: library.func('getsockname', 'int', ['int', pointer, pointer]),
  connect: library.func('connect', 'int', ['int', pointer, 'int']),
  send: library.func('send', 'int', ['int', pointer, 'int', 'int']),
  sendto: library.func('sendto', 'int', ['int', pointer, 'int', 'int', pointer, 'int']),
  recvmmsg: library.func('recvmmsg', 'int', ['int', pointer, 'int', 'int', pointer]),
};

/** Memory that the C library may be pointed into. */
export const allocate = (octets: number) => {
  const memory = new ArrayBuffer(octets);
  return { memory, view: new DataView(memory), start: Number(koffi.address(memory)) };
};

const AF_INET = 2;
const DATAGRAM_NONBLOCK = 2 | 0o4000;
const LOOPBACK = 0x7f000001;

/** Writes a `sockaddr_in` of 127.0.0.1. */
export const writeLoopback = (view: DataView, at: number, port: number): void => {
  view.setUint16(at, AF_INET, true);
  view.setUint16(at + 2, port);
  view.setUint32(at + 4, LOOPBACK);
};

/** A UDP socket bound to any port of 127.0.0.1, and that port. */
export const openSocket = (): { readonly fd: number; readonly port: number } => {
  const { view, start } = allocate(32);
  const fd = libc.socket(AF_INET, DATAGRAM_NONBLOCK, 0);
  writeLoopback(view, 0, 0);
  if (fd < 0 || libc.bind(fd, start, 16) < 0) throw new Error(`no socket: error ${koffi.errno()}`);
  view.setUint32(16, 16, true);
  libc.getsockname(fd, start, start + 16);
  return { fd, port: view.getUint16(2) };
};
