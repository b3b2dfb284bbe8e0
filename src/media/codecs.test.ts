import { describe, expect, it } from 'vitest';
import {
  makeClip,
  openRtpPeer,
  PLAIN,
  pattern,
  payloads,
  prepare,
  SOCKET_KINDS,
  startThread,
} from '../../test/support/media.ts';
import { joinOpus } from '../rtp/opus-packet.ts';
import type { RtpPacket } from '../rtp/packet.ts';

const steps = (packets: readonly RtpPacket[]): readonly number[] =>
  packets.slice(1).map((packet, i) => (packet.timestamp - (packets[i]?.timestamp ?? 0)) >>> 0);

/** Steps of the timestamp, those that a starved machine made longer brought back to the packet's own. */
const expectSteps = (packets: readonly RtpPacket[], wanted: readonly number[]): void => {
  const found = steps(packets).map((step, i) => (packets[i + 1]?.marker && step > (wanted[i] ?? 0) ? wanted[i] : step));
  expect(found).toEqual(wanted);
};

describe.each(SOCKET_KINDS)('codecs and packet times, %s sockets', (sockets) => {
  it.each([
    ['PCMA', 8, 10, [80, 80, 80, 80, 80, 80, 80, 80, 80, 80], 80],
    ['PCMU', 0, 30, [240, 240, 240, 80], 80],
    ['G722', 9, 60, [480, 320], 80],
    ['opus', 111, 20, [60, 60, 60, 60, 60], 480],
  ] as const)(
    '%s under payload type %i in packets of %i ms',
    async (codec, payloadType, packetTimeMs, lengths, per10Ms) => {
      const [thread, peer] = [await startThread({ sockets }), await openRtpPeer()];
      const port = await prepare(thread, makeClip(1, 5));
      port.play({ ...peer, codec, payloadType, packetTimeMs, ...PLAIN });
      await port.finished;
      await peer.until(lengths.length);
      const packets = peer.packets();
      expect(packets.map(({ payload }) => payload.length)).toEqual(lengths);
      expect(payloads(packets)).toEqual(Buffer.from(pattern(1, 5, codec)));
      expect(packets.every((packet) => packet.payloadType === payloadType)).toBe(true);
      const bytesPer10Ms = codec === 'opus' ? 30 : 80;
      expectSteps(
        packets,
        lengths.slice(0, -1).map((length) => (length / bytesPer10Ms) * per10Ms),
      );
      expect(port.framesSent()).toEqual([5]);
    },
  );

  it('joins frames of Opus for 60 ms, and what is left of the clip', async () => {
    const [thread, peer] = [await startThread({ sockets }), await openRtpPeer()];
    const port = await prepare(thread, makeClip(1, 5));
    port.play({ ...peer, codec: 'opus', payloadType: 96, packetTimeMs: 60, ...PLAIN });
    await port.finished;
    await peer.until(2);
    const frames = Array.from({ length: 5 }, (_, i) => pattern(1, 5, 'opus').subarray(i * 60, (i + 1) * 60));
    const joined = [frames.slice(0, 3), frames.slice(3)].map((some) => {
      const target = new Uint8Array(256);
      return Buffer.from(target.subarray(0, joinOpus(target, some) ?? 0));
    });
    expect(peer.packets().map(({ payload }) => Buffer.from(payload))).toEqual(joined);
    expectSteps(peer.packets(), [2880]);
    expect([port.framesSent(), port.packetsSent()]).toEqual([[5], 2]);
  });

  it('sends frames of Opus that cannot be joined one by one', async () => {
    const [thread, peer] = [await startThread({ sockets }), await openRtpPeer()];
    const clip = makeClip(1, 3);
    new Uint8Array(clip.renditions.opus)[60] = 0x08;
    const port = await prepare(thread, clip);
    port.play({ ...peer, codec: 'opus', payloadType: 96, packetTimeMs: 40, ...PLAIN });
    await port.finished;
    await peer.until(3);
    expect(payloads(peer.packets())).toEqual(Buffer.from(new Uint8Array(clip.renditions.opus)));
    expectSteps(peer.packets(), [960, 960]);
  });

  it('goes on in another codec from where it was; another clock makes another source of it', async () => {
    const [thread, peer] = [await startThread({ sockets }), await openRtpPeer()];
    const port = await prepare(thread, makeClip(5, 30));
    port.play({ ...peer, codec: 'PCMU', payloadType: 0, packetTimeMs: 20, ...PLAIN });
    await peer.until(3);
    port.redirect({
      address: peer.address,
      port: peer.port,
      codec: 'opus',
      payloadType: 111,
      packetTimeMs: 20,
      ...PLAIN,
    });
    await port.finished;
    await peer.until(30);
    const packets = peer.packets();
    const before = packets.filter(({ payloadType }) => payloadType === 0);
    const after = packets.slice(before.length);
    expect(payloads(before)).toEqual(Buffer.from(pattern(5, 30).subarray(0, before.length * 160)));
    expect(payloads(after)).toEqual(Buffer.from(pattern(5, 30, 'opus').subarray(before.length * 60)));
    expect(after[0]).toMatchObject({ marker: true, payloadType: 111 });
    expect(after[0]?.ssrc).not.toBe(before[0]?.ssrc);
  });
});
