// `node sink.ts`: takes RTP, as cheaply as it can, and looks at the numbers of every packet. Its first line is its
// ports; a line on standard input ends it, and its last line is what it saw.
import { once } from 'node:events';
import { allocate, libc, openSocket } from './libc.ts';
import { Streams } from './streams.ts';

/** Several, so that their buffers together hold what comes between two looks. */
const SOCKETS = 16;
const BATCH = 256;
const KEPT_BYTES = 12;
const MESSAGE_BYTES = 64;
const SOL_SOCKET = 1;
const [SO_RCVBUF, SO_RCVBUFFORCE] = [8, 33];
const BUFFER_BYTES = 8 * 1024 * 1024;
const LOOK_EVERY_MS = 1;

const IOVS = BATCH * MESSAGE_BYTES;
const PACKETS = IOVS + BATCH * 16;
const { view, start } = allocate(PACKETS + BATCH * 16);
const streams = new Streams();

for (let n = 0; n < BATCH; n += 1) {
  view.setBigUint64(n * MESSAGE_BYTES + 16, BigInt(start + IOVS + n * 16), true);
  view.setBigUint64(n * MESSAGE_BYTES + 24, 1n, true);
  view.setBigUint64(IOVS + n * 16, BigInt(start + PACKETS + n * 16), true);
  view.setBigUint64(IOVS + n * 16 + 8, BigInt(KEPT_BYTES), true);
}

const widen = (fd: number): void => {
  const value = allocate(4);
  value.view.setInt32(0, BUFFER_BYTES, true);
  for (const option of [SO_RCVBUF, SO_RCVBUFFORCE]) libc.setsockopt(fd, SOL_SOCKET, option, value.start, 4);
};

const sockets = Array.from({ length: SOCKETS }, openSocket);
for (const { fd } of sockets) widen(fd);

const drain = (fd: number): void => {
  for (;;) {
    const count = libc.recvmmsg(fd, start, BATCH, 0, 0);
    const nowMs = performance.now();
    for (let n = 0; n < count; n += 1) {
      const at = PACKETS + n * 16;
      streams.take(view.getUint32(at + 8), view.getUint16(at + 2), view.getUint32(at + 4), nowMs);
    }
    if (count < BATCH) return;
  }
};

const look = (): void => {
  for (const { fd } of sockets) drain(fd);
};

console.log(JSON.stringify(sockets.map(({ port }) => port)));
const timer = setInterval(look, LOOK_EVERY_MS);
await once(process.stdin, 'data');
clearInterval(timer);
look();
console.log(JSON.stringify(streams.figures()));
process.exit(0);
