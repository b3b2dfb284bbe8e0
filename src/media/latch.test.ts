import { describe, expect, it, onTestFinished } from 'vitest';
import {
  ADDRESS,
  makeClip,
  openRtpPeer,
  PCMU,
  PLAIN,
  prepare,
  SOCKET_KINDS,
  startThread,
} from '../../test/support/media.ts';
import { RTP_HEADER_BYTES, type RtpPacket, writeRtpHeader } from '../rtp/packet.ts';
import { writeRtcp } from '../rtp/rtcp-write.ts';
import { createProtection } from '../rtp/srtp-protection.ts';
import { MAX_SRTP_EXPANSION_BYTES, SrtpSender } from '../rtp/srtp-sender.ts';
import type { SrtpKeying } from '../rtp/srtp-suite.ts';
import { Latch } from './latch.ts';

const NAMED = { address: '10.0.0.2', port: 4000 };
const ELSEWHERE = { address: '192.0.2.1', port: 5000 };
const packet = (sequence: number, ssrc = 1): RtpPacket => ({
  payloadType: 0,
  marker: false,
  timestamp: 0,
  payload: new Uint8Array(160),
  sequence,
  ssrc,
});

describe('a latch', () => {
  it('opens to two packets in order from one source, and to nothing afterwards', () => {
    const latch = new Latch(NAMED);
    expect(latch.see(packet(65_535), ELSEWHERE, false)).toBe(false);
    expect(latch.see(packet(0), ELSEWHERE, false)).toBe(true);
    for (const sequence of [7, 8]) expect(latch.see(packet(sequence), { ...ELSEWHERE, port: 6 }, false)).toBe(false);
    const to = { ...NAMED, ...PCMU, comedia: true };
    expect(latch.apply(to)).toEqual({ ...to, ...ELSEWHERE });
    const rtcp = { ...NAMED, port: 4001, isMux: false };
    expect(latch.apply({ ...to, rtcp }).rtcp).toEqual({ ...ELSEWHERE, port: 5001, isMux: false });
    expect(latch.apply({ ...to, rtcp: { ...rtcp, isMux: true } }).rtcp).toMatchObject(ELSEWHERE);
  });

  it('sends reports to where two of one source came from, unless they came from where ours go', () => {
    const to = { ...NAMED, ...PCMU, comedia: true, rtcp: { ...NAMED, port: 4001, isMux: false } };
    const [latch, settled] = [new Latch(NAMED), new Latch(NAMED)];
    expect([1, 2, 2].map((ssrc) => latch.seeReport(ssrc, ELSEWHERE, false))).toEqual([false, false, true]);
    expect(latch.apply(to)).toEqual({ ...to, rtcp: { ...ELSEWHERE, isMux: false } });
    for (const sequence of [1, 2]) latch.see(packet(sequence), { ...ELSEWHERE, port: 6 }, false);
    expect(latch.apply(to)).toEqual({ ...to, ...ELSEWHERE, port: 6, rtcp: { ...ELSEWHERE, isMux: false } });
    settled.seeReport(1, NAMED, true);
    expect([1, 1].map((ssrc) => settled.seeReport(ssrc, ELSEWHERE, false))).toEqual([false, false]);
    expect(settled.apply(to)).toEqual(to);
  });

  it.each([
    ['one packet', [packet(1)]],
    ['one packet, twice', [packet(1), packet(1)]],
    ['packets in disorder', [packet(2), packet(1)]],
    ['packets far apart', [packet(1), packet(1000)]],
    ['packets of two sources', [packet(1, 1), packet(2, 2)]],
  ])('does not open to %s', (_, packets) => {
    const latch = new Latch(NAMED);
    expect(packets.map((each) => latch.see(each, ELSEWHERE, false)).some(Boolean)).toBe(false);
    expect(latch.isOpen).toBe(true);
  });

  it('shuts for good once a packet comes from where the SDP says', () => {
    const latch = new Latch(NAMED);
    latch.see(packet(1), NAMED, true);
    expect([latch.isOpen, latch.see(packet(1), ELSEWHERE, false), latch.see(packet(2), ELSEWHERE, false)]).toEqual([
      false,
      false,
      false,
    ]);
  });
});

const voice = (sequence: number): Uint8Array => {
  const octets = new Uint8Array(RTP_HEADER_BYTES + 160).fill(0xff);
  writeRtpHeader(octets, { payloadType: 0, marker: false, sequence, timestamp: 160 * sequence, ssrc: 7 });
  return octets;
};

/** That so many packets of this source were lost. */
const report = (ssrc: number, cumulativeLost: number): Uint8Array => {
  const times = { jitter: 0, lastSenderReport: 0, delaySinceSenderReport: 0 };
  const blocks = [{ ssrc, fractionLost: 0, cumulativeLost, highestSequence: 0, ...times }];
  const octets = new Uint8Array(128);
  return octets.subarray(0, writeRtcp(octets, { ssrc: 7, sender: null, blocks, cname: 'peer', isGoodbye: false }));
};

const keyingOf = (fill: number): SrtpKeying => ({
  suite: 'AES_CM_128_HMAC_SHA1_80',
  masterKey: new Uint8Array(16).fill(fill),
  masterSalt: new Uint8Array(14).fill(fill),
  mkiBytes: 0,
});

describe.each(SOCKET_KINDS)('comedia, %s sockets', (sockets) => {
  const open = async () => {
    const thread = await startThread({ sockets });
    const [named, real, stranger] = [await openRtpPeer(), await openRtpPeer(), await openRtpPeer()];
    const port = await prepare(thread, makeClip(1, 5000));
    onTestFinished(() => port.stop());
    return { port, named, real, stranger, to: { address: ADDRESS, port: named.port } };
  };

  it('sends voice to where the peer speaks from, and stays there; a new address begins anew', async () => {
    const { port, named, real, stranger, to } = await open();
    port.play({ ...to, ...PCMU, comedia: true });
    await named.until(1);
    for (const sequence of [1, 2, 3]) real.send(voice(sequence), port.port);
    await real.until(2);
    for (const sequence of [4, 5, 6]) stranger.send(voice(sequence), port.port);
    port.redirect({ ...to, ...PCMU, codec: 'PCMA', payloadType: 8, comedia: true });
    await real.until(20);
    expect(real.packets().at(-1)?.payloadType).toBe(8);
    expect(stranger.datagrams).toHaveLength(0);
    port.redirect({ address: ADDRESS, port: stranger.port, ...PCMU, comedia: true });
    await stranger.until(2);
    for (const sequence of [7, 8, 9]) real.send(voice(sequence), port.port);
    const before = real.datagrams.length;
    await real.until(before + 10);
  });

  it('reports to where the reports of the peer come from, which need not be beside its voice', async () => {
    const { port, named, real, stranger, to } = await open();
    const reports = await openRtpPeer();
    port.play({ ...to, ...PCMU, comedia: true, rtcp: { address: ADDRESS, port: stranger.port, isMux: false } });
    await named.until(1);
    for (const sequence of [1, 2]) real.send(voice(sequence), port.port);
    await real.until(1);
    const { ssrc } = named.packets()[0] ?? { ssrc: 0 };
    for (const lost of [1, 2]) reports.send(report(ssrc, lost), port.port + 1);
    while (port.quality()?.packetsLost !== 2) await real.until(real.datagrams.length + 1);
    await port.stop();
    await reports.until(1);
  });

  it('does not follow a stranger in an ordinary call, nor where the peer itself has spoken', async () => {
    const [ordinary, spoken] = [await open(), await open()];
    ordinary.port.play({ ...ordinary.to, ...PCMU });
    spoken.port.play({ ...spoken.to, ...PCMU, comedia: true });
    await Promise.all([ordinary.named.until(1), spoken.named.until(1)]);
    spoken.named.send(voice(1), spoken.port.port);
    await spoken.named.until(10);
    for (const { stranger, port } of [ordinary, spoken])
      for (const sequence of [1, 2, 3]) stranger.send(voice(sequence), port.port);
    await Promise.all([ordinary.named.until(20), spoken.named.until(30)]);
    expect([ordinary.stranger.datagrams.length, spoken.stranger.datagrams.length]).toEqual([0, 0]);
  });

  it('follows only who has the key where voice is encrypted', async () => {
    const { port, named, real, stranger, to } = await open();
    const keys = { ...PLAIN, sealing: keyingOf(1), opening: keyingOf(2) };
    port.play({ ...to, ...PCMU, ...keys, comedia: true });
    await named.until(1);
    for (const sequence of [1, 2, 3]) stranger.send(voice(sequence), port.port);
    await named.until(10);
    const sender = new SrtpSender(createProtection(keyingOf(2)));
    for (const sequence of [1, 2, 3]) {
      const sealed = new Uint8Array(RTP_HEADER_BYTES + 160 + MAX_SRTP_EXPANSION_BYTES);
      sealed.set(voice(sequence));
      real.send(sealed.subarray(0, sender.sealRtp(sealed, RTP_HEADER_BYTES + 160)), port.port);
    }
    await real.until(5);
    expect(stranger.datagrams).toHaveLength(0);
  });
});
