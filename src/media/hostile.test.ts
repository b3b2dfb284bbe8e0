import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  ADDRESS,
  expectTrueNumbers,
  makeClip,
  openRtpPeer,
  PCMU,
  pattern,
  payloads,
  prepare,
  SOCKET_KINDS,
  startThread,
} from '../../test/support/media.ts';

/** RTP, RTCP (sender report, BYE), telephone-events, and octets that are nothing. */
const HOSTILE = [
  [0x80, 0x00, 0x00, 0x01, 0, 0, 0, 160, 0, 0, 0, 1, ...Array<number>(160).fill(0xd5)],
  [0x80, 0xe5, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 2, 5, 0x80, 0, 160],
  [0x80, 0xc8, 0x00, 0x06, ...Array<number>(24).fill(0xff)],
  [0x81, 0xcb, 0x00, 0x01, 0, 0, 0, 1],
  [0xff, 0xff, 0xff],
  [],
].map((octets) => Uint8Array.from(octets));

/** RINGCAST_HOSTILE_SECONDS=30 for the whole proof: 10,000 packets a second at one call. */
const SECONDS = Number(process.env.RINGCAST_HOSTILE_SECONDS ?? 0);
const FRAMES = SECONDS > 0 ? 50 * SECONDS : 40;
const ROUNDS_PER_FRAME = SECONDS > 0 ? 100 : 25;

/** A socket that is connected, so that ICMP refusals come back to it too. */
const openAttacker = async (port: number) => {
  const socket = createSocket('udp4');
  const cameBack: unknown[] = [];
  socket.on('message', (octets) => cameBack.push(octets));
  socket.on('error', (error) => cameBack.push(error));
  socket.connect(port, ADDRESS);
  await once(socket, 'connect');
  onTestFinished(() => void socket.close());
  return { cameBack, send: (octets: Uint8Array) => socket.send(octets) };
};

describe.each(SOCKET_KINDS)('hostile packets, %s sockets', (sockets) => {
  it('at the RTP and the RTCP port change nothing, and nothing goes back to where they came from', {
    timeout: 60_000 + 2_000 * SECONDS,
  }, async () => {
    const [thread, peer] = [await startThread({ sockets }), await openRtpPeer()];
    const port = await prepare(thread, makeClip(1, FRAMES));
    const attackers = [await openAttacker(port.port), await openAttacker(port.port + 1)];
    port.play({ ...peer, ...PCMU });
    for (let sent = 1; sent <= FRAMES; sent += 1) {
      await peer.until(sent);
      for (let round = 0; round < ROUNDS_PER_FRAME; round += 1) {
        for (const attacker of attackers) attacker.send(HOSTILE[round % HOSTILE.length] ?? new Uint8Array());
      }
    }
    expect(await port.finished).toBe('played');
    expect(payloads(peer.packets())).toEqual(Buffer.from(pattern(1, FRAMES)));
    expectTrueNumbers(peer.packets());
    expect(attackers.map(({ cameBack }) => cameBack)).toEqual([[], []]);
  });
});
