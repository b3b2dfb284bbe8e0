// `node talkers.ts PORTS`: sends voice to each of the ports, 50 packets a second, and reports to those above, until it
// is killed. Its first line tells that it is ready.
import { allocate, libc, openSocket, writeLoopback } from './libc.ts';

const FRAME_MS = 20;
const PACKET_BYTES = 172;
const REPORT_BYTES = 32;
const [REPORT, TO] = [PACKET_BYTES, 208];
/** One report in five seconds (RFC 3550 6.2). */
const ROUNDS_PER_REPORT = 250;

const ports: readonly number[] = JSON.parse(process.argv[2] ?? '');
const { fd } = openSocket();
const { view, start } = allocate(256);
view.setUint8(0, 0x80);
view.setUint32(8, 1);
// A receiver report about one source.
view.setUint32(REPORT, 0x81c90007);
let round = 0;

const send = (at: number, length: number, port: number): void => {
  writeLoopback(view, TO, port);
  libc.sendto(fd, start + at, length, 0, start + TO, 16);
};

const sendAll = (): void => {
  round += 1;
  view.setUint16(2, round);
  view.setUint32(4, round * 160);
  for (const [call, port] of ports.entries()) {
    send(0, PACKET_BYTES, port);
    if ((round + call) % ROUNDS_PER_REPORT === 0) send(REPORT, REPORT_BYTES, port + 1);
  }
};

console.log('true');
setInterval(sendAll, FRAME_MS);
