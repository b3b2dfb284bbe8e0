import { describe, expect, it } from 'vitest';
import { ADDRESS, makeClip, openRtpPeer, PCMU, prepare, SOCKET_KINDS, startThread } from '../../test/support/media.ts';
import { middleOfNtp } from '../rtp/ntp.ts';
import type { RtcpPacket } from '../rtp/rtcp-packet.ts';
import { isRtcp, parseRtcp } from '../rtp/rtcp-parse.ts';
import { writeRtcp } from '../rtp/rtcp-write.ts';

type Report = Extract<RtcpPacket, { kind: 'report' }>;

const reportIn = (datagram: Buffer | undefined): Report => {
  const report = parseRtcp(datagram ?? new Uint8Array())?.[0];
  if (report?.kind !== 'report') throw new Error('no report');
  return report;
};

describe.each(SOCKET_KINDS)('RTCP, %s sockets', (sockets) => {
  it('reports of what was sent within some seconds, and says BYE at the end', { timeout: 30_000 }, async () => {
    const [thread, peer, reports] = [await startThread({ sockets }), await openRtpPeer(), await openRtpPeer()];
    const port = await prepare(thread, makeClip(1, 5000));
    port.play({ ...peer, ...PCMU, rtcp: { address: ADDRESS, port: reports.port, isMux: false } });
    await reports.until(1);
    const [first] = peer.packets();
    const { ssrc, sender } = reportIn(reports.datagrams[0]);
    expect(ssrc).toBe(first?.ssrc);
    expect(sender?.octets).toBe((sender?.packets ?? 0) * 160);
    expect(((sender?.timestamp ?? 0) - (first?.timestamp ?? 0)) >>> 0).toBeGreaterThan(8000);
    const block = { ssrc, fractionLost: 0, cumulativeLost: 3, highestSequence: 0, jitter: 80 };
    const target = new Uint8Array(128);
    const lastSenderReport = middleOfNtp(sender?.ntp ?? { seconds: 0, fraction: 0 });
    const blocks = [{ ...block, lastSenderReport, delaySinceSenderReport: 0 }];
    const length = writeRtcp(target, { ssrc: 1, sender: null, blocks, cname: 'peer', isGoodbye: false });
    peer.send(target.subarray(0, length), port.port + 1);
    while (port.quality() === null) await peer.until(peer.datagrams.length + 1);
    expect(port.quality()).toMatchObject({ packetsLost: 3, jitterMs: 10, roundTripMs: expect.any(Number) });
    await port.stop();
    const told = reports.datagrams.length;
    await reports.until(Math.max(2, told));
    const last = parseRtcp(reports.datagrams.at(-1) ?? new Uint8Array());
    expect(last?.at(-1)).toEqual({ kind: 'goodbye', ssrcs: [ssrc] });
    expect(last?.[1]).toMatchObject({ kind: 'description', chunks: [{ ssrc, cname: expect.stringMatching(/.{16}/) }] });
  });

  it('goes over the port of RTP if that is shared, and reports of other streams are of no account', async () => {
    const [thread, peer] = [await startThread({ sockets }), await openRtpPeer()];
    const port = await prepare(thread, makeClip(1, 5000));
    port.play({ ...peer, ...PCMU, rtcp: { address: ADDRESS, port: peer.port, isMux: true } });
    await peer.until(3);
    const target = new Uint8Array(128);
    const blocks = [
      {
        ssrc: 77,
        fractionLost: 0,
        cumulativeLost: 3,
        highestSequence: 0,
        jitter: 80,
        lastSenderReport: 0,
        delaySinceSenderReport: 0,
      },
    ];
    const length = writeRtcp(target, { ssrc: 1, sender: null, blocks, cname: 'peer', isGoodbye: false });
    peer.send(target.subarray(0, length), port.port);
    await peer.until(8);
    await port.stop();
    while (!peer.datagrams.some(isRtcp)) await peer.until(peer.datagrams.length + 1);
    expect(peer.datagrams.filter(isRtcp)).toHaveLength(1);
    expect(port.quality()).toBeNull();
  });
});
