import { describe, expect, it } from 'vitest';
import {
  makeClip,
  openRtpPeer,
  PCMU,
  PLAIN,
  pattern,
  prepare,
  SOCKET_KINDS,
  startThread,
} from '../../test/support/media.ts';
import { parseRtpPacket, type RtpPacket } from '../rtp/packet.ts';
import { createProtection } from '../rtp/srtp-protection.ts';
import { SrtpReceiver } from '../rtp/srtp-receiver.ts';
import { SRTP_SUITES, type SrtpKeying, type SrtpSuiteName } from '../rtp/srtp-suite.ts';

const keyingOf = (suite: SrtpSuiteName, fill: number): SrtpKeying => ({
  suite,
  masterKey: new Uint8Array(SRTP_SUITES[suite].keyBytes).fill(fill),
  masterSalt: new Uint8Array(SRTP_SUITES[suite].saltBytes).fill(fill + 1),
  mkiBytes: 0,
});

/** The packets that can be opened with the key, in order. */
const opened = (datagrams: readonly Buffer[], keying: SrtpKeying): readonly RtpPacket[] => {
  const receiver = new SrtpReceiver(createProtection(keying), 0);
  return datagrams.flatMap((datagram) => {
    const plain = receiver.openRtp(Uint8Array.from(datagram));
    return (plain && parseRtpPacket(plain)) ?? [];
  });
};

const payloads = (packets: readonly RtpPacket[]): Buffer => Buffer.concat(packets.map(({ payload }) => payload));

const SUITES = Object.keys(SRTP_SUITES) as SrtpSuiteName[];

describe.each(SOCKET_KINDS)('SRTP, %s sockets', (sockets) => {
  it.each(SUITES)('%s: the peer opens every packet, and nothing is readable on the way', async (suite) => {
    const [thread, peer] = [await startThread({ sockets }), await openRtpPeer()];
    const clip = makeClip(1, 4);
    const port = await prepare(thread, clip);
    port.play({ ...peer, ...PCMU, sealing: keyingOf(suite, 1) });
    await port.finished;
    await peer.until(4);
    const packets = opened(peer.datagrams, keyingOf(suite, 1));
    expect(payloads(packets)).toEqual(Buffer.from(pattern(1, 4)));
    expect(packets[0]?.sequence).toBeLessThan(2 ** 15);
    const wire = Buffer.concat(peer.datagrams);
    expect(wire.includes(Buffer.from(pattern(1, 4).subarray(0, 16)))).toBe(false);
    expect(Buffer.from(new Uint8Array(clip.renditions.PCMU))).toEqual(Buffer.from(pattern(1, 4)));
  });

  it('goes on under the same key when the peer moves, and begins anew with another one', async () => {
    const [thread, peer] = [await startThread({ sockets }), await openRtpPeer()];
    const port = await prepare(thread, makeClip(1, 30));
    const [first, second] = [keyingOf('AEAD_AES_128_GCM', 1), keyingOf('AES_CM_128_HMAC_SHA1_80', 7)];
    const to = { address: peer.address, port: peer.port, ...PCMU };
    port.play({ ...to, sealing: first });
    await peer.until(3);
    port.redirect({ ...to, payloadType: 97, sealing: first });
    await peer.until(6);
    port.redirect({ ...to, sealing: second });
    await port.finished;
    await peer.until(30);
    const [before, after] = [opened(peer.datagrams, first), opened(peer.datagrams, second)];
    expect(payloads([...before, ...after])).toEqual(Buffer.from(pattern(1, 30)));
    expect(new Set(before.map(({ ssrc }) => ssrc)).size).toBe(1);
    expect(after[0]?.ssrc).not.toBe(before[0]?.ssrc);
    expect(after[0]?.sequence).toBeLessThan(2 ** 15);
  });

  it('sends Opus encrypted, joined or not', async () => {
    const [thread, peer] = [await startThread({ sockets }), await openRtpPeer()];
    const keying = keyingOf('AEAD_AES_256_GCM', 5);
    const port = await prepare(thread, makeClip(1, 4));
    port.play({ ...peer, codec: 'opus', payloadType: 111, packetTimeMs: 60, ...PLAIN, sealing: keying });
    await port.finished;
    await peer.until(2);
    expect(opened(peer.datagrams, keying).map(({ payload }) => payload.length)).toEqual([2 + 3 * 59, 60]);
  });
});
