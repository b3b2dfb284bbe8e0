import { allocate, libc, openSocket, writeLoopback } from '../playout/libc.ts';
import type { Rounds } from './rounds.ts';

const PACKET_BYTES = 172;
const ROW_BYTES = 192;
const MSG_DONTWAIT = 0x40;

/** Nothing but `sendto` over a socket a call, or `send` if they are connected, of packets that were finished before. */
export const floorRounds = (calls: number, ports: readonly number[], isConnected: boolean): Rounds => {
  const { view, start } = allocate(calls * ROW_BYTES);
  const fds = Array.from({ length: calls }, (_, call) => {
    const { fd } = openSocket();
    const to = call * ROW_BYTES + PACKET_BYTES;
    writeLoopback(view, to, ports[call % ports.length] ?? 0);
    if (isConnected) libc.connect(fd, start + to, 16);
    return fd;
  });
  let round = 0;
  return () => {
    round += 1;
    for (const [call, fd] of fds.entries()) {
      const at = call * ROW_BYTES;
      view.setUint16(at + 2, round);
      view.setUint32(at + 4, round * 160);
      if (isConnected) libc.send(fd, start + at, PACKET_BYTES, MSG_DONTWAIT);
      else libc.sendto(fd, start + at, PACKET_BYTES, MSG_DONTWAIT, start + at + PACKET_BYTES, 16);
    }
    return calls;
  };
};
