import { setImmediate as turn } from 'node:timers/promises';
import { allocate, libc, openSocket, writeLoopback } from './libc.ts';
import type { PlayerOrder } from './player-order.ts';

const PACKET_BYTES = 172;
const ROW_BYTES = 192;
const MSG_DONTWAIT = 0x40;
const FRAME_MS = 20;
const SHORTEST_SLEEP_MS = 0.05;

/**
 * The floor: a socket a call, and nothing but `sendto` over all of them every 20 ms. Packets are finished beforehand
 * but for the sequence number and timestamp, which the sink looks at.
 */
export const startFloor = ({ calls, ports }: PlayerOrder, notePacket: (lateMs: number) => void) => {
  const sockets = Array.from({ length: calls }, openSocket);
  const { view, start } = allocate(calls * ROW_BYTES);
  for (let call = 0; call < calls; call += 1) {
    view.setUint8(call * ROW_BYTES, 0x80);
    view.setUint32(call * ROW_BYTES + 8, call + 1);
    writeLoopback(view, call * ROW_BYTES + 172, ports[call % ports.length] ?? 0);
  }
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  let isStopped = false;

  const sendAll = (round: number): void => {
    for (const [call, { fd }] of sockets.entries()) {
      const at = call * ROW_BYTES;
      view.setUint16(at + 2, round);
      view.setUint32(at + 4, round * 160);
      libc.sendto(fd, start + at, PACKET_BYTES, MSG_DONTWAIT, start + at + 172, 16);
      notePacket(0);
    }
  };
  const run = async (): Promise<void> => {
    const startMs = performance.now();
    for (let round = 0; !isStopped; round += 1) {
      sendAll(round);
      await turn();
      const restMs = startMs + (round + 1) * FRAME_MS - performance.now();
      if (restMs > SHORTEST_SLEEP_MS) Atomics.wait(sleeper, 0, 0, restMs);
    }
  };
  const ended = run();
  return async (): Promise<void> => {
    isStopped = true;
    await ended;
  };
};
