import { createSocket } from 'node:dgram';
import type { PlayerOrder } from './player-order.ts';

const FRAME_MS = 20;
const PACKET_BYTES = 172;

/** What people write: a `dgram` socket and a timer for each call, a new buffer for each packet. */
export const startDgram = ({ calls, ports }: PlayerOrder, notePacket: (lateMs: number) => void) => {
  const ends = Array.from({ length: calls }, (_, call) => startCall(call, ports[call % ports.length] ?? 0, notePacket));
  return async (): Promise<void> => {
    for (const end of ends) end();
  };
};

const startCall = (call: number, port: number, notePacket: (lateMs: number) => void): (() => void) => {
  const socket = createSocket('udp4');
  const startMs = performance.now() + (call % FRAME_MS);
  let round = 0;
  let timer: NodeJS.Timeout;

  const send = (): void => {
    const packet = Buffer.alloc(PACKET_BYTES);
    packet.writeUInt8(0x80, 0);
    packet.writeUInt16BE(round & 0xffff, 2);
    packet.writeUInt32BE((round * 160) >>> 0, 4);
    packet.writeUInt32BE(call + 1, 8);
    socket.send(packet, port, '127.0.0.1');
    // A timer may fire a little early.
    notePacket(Math.max(0, performance.now() - (startMs + round * FRAME_MS)));
    round += 1;
    wait();
  };
  const wait = (): void => {
    timer = setTimeout(send, Math.max(0, startMs + round * FRAME_MS - performance.now()));
  };
  wait();
  return () => {
    clearTimeout(timer);
    socket.close();
  };
};
