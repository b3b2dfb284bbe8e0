import { describe, expect, it } from 'vitest';
import {
  bindSocket,
  closeSocket,
  makeClip,
  openRtpPeer,
  PCMU,
  prepare,
  startThread,
} from '../../test/support/media.ts';
import { RTP_HEADER_BYTES, writeRtpHeader } from '../rtp/packet.ts';
import { Refusals } from './refusals.ts';

describe('ICMP refusals', () => {
  it.each([
    ['two for ever', [0, 9000], false],
    ['many within two seconds', [0, 10, 20, 1000, 1999], false],
    ['three over two seconds', [0, 1000, 2000], true],
  ] as const)('%s: nobody is there: %s -> %s', (_, times, isHopeless) => {
    const refusals = new Refusals();
    expect(times.map((atMs) => refusals.note(atMs)).some(Boolean)).toBe(isHopeless);
  });

  it('count anew once the peer was heard', () => {
    const refusals = new Refusals();
    for (const atMs of [0, 1000]) refusals.note(atMs);
    refusals.forget();
    expect([2000, 3000, 4000].map((atMs) => refusals.note(atMs))).toEqual([false, false, true]);
  });
});

/** A port of this machine that nobody holds. */
const closedPort = async () => {
  const socket = await bindSocket();
  const { address, port } = socket.address();
  await closeSocket(socket);
  return { address, port };
};

const voice = (sequence: number): Uint8Array => {
  const packet = new Uint8Array(RTP_HEADER_BYTES + 160).fill(0xff);
  writeRtpHeader(packet, { payloadType: 0, marker: false, sequence, timestamp: 160 * sequence, ssrc: 7 });
  return packet;
};

describe.runIf(process.platform === 'linux')('a phone whose port refuses voice', () => {
  it('ends the call if nothing is heard of it, and does not if it speaks', async () => {
    const [thread, clock] = [await startThread(), await openRtpPeer()];
    const [silent, speaking, timing] = [
      await prepare(thread, makeClip(1, 5000)),
      await prepare(thread, makeClip(1, 160)),
      await prepare(thread, makeClip(1, 5000)),
    ];
    let sequence = 0;
    clock.socket.on('message', () => clock.send(voice(sequence++), speaking.port));
    timing.play({ ...clock, ...PCMU });
    speaking.play({ ...(await closedPort()), ...PCMU });
    silent.play({ ...(await closedPort()), ...PCMU });
    expect(await silent.finished).toBe('peer-refuses');
    expect(silent.packetsSent()).toBeGreaterThan(50);
    expect(silent.peerRefusals()).toBeGreaterThan(2);
    expect(await speaking.finished).toBe('played');
    expect(speaking.peerRefusals()).toBeGreaterThan(2);
    expect(timing.peerRefusals()).toBe(0);
  });
});
