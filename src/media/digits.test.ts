import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ADDRESS, makeClip, openRtpPeer, PCMU, prepare, SOCKET_KINDS, startThread } from '../../test/support/media.ts';
import { RTP_HEADER_BYTES, writeRtpHeader } from '../rtp/packet.ts';
import { createProtection } from '../rtp/srtp-protection.ts';
import { MAX_SRTP_EXPANSION_BYTES, SrtpSender } from '../rtp/srtp-sender.ts';
import type { SrtpKeying } from '../rtp/srtp-suite.ts';
import type { MediaPort } from './link.ts';

const EVENTS = 101;
const VOICE = 0;

const packetOf = (payloadType: number, sequence: number, timestamp: number, payload: readonly number[]): Uint8Array => {
  const packet = new Uint8Array(RTP_HEADER_BYTES + payload.length);
  writeRtpHeader(packet, { payloadType, marker: false, sequence, timestamp, ssrc: 9 });
  packet.set(payload, RTP_HEADER_BYTES);
  return packet;
};

/** A press as phones send it: the beginning three times, the end three times. */
const press = (event: number, from: number): readonly Uint8Array[] =>
  [0, 0, 0, 0x80, 0x80, 0x80].map((end, i) =>
    packetOf(EVENTS, from + i, 1000 * from, [event, end | 10, 0, end ? 250 : 80 * (i + 1)]),
  );

/** What a call heard, and a way to wait for so many keys. */
const listenTo = (port: MediaPort) => {
  const heard: string[] = [];
  let wake = (): void => {};
  port.onDigit((digit, { clip, placeMs }) => {
    heard.push(`${digit} in clip ${clip}${placeMs > 0 ? ' begun' : ''}`);
    wake();
  });
  const until = async (count: number): Promise<void> => {
    while (heard.length < count) await new Promise<void>((resolve) => (wake = resolve));
  };
  return { heard, until };
};

describe.each(SOCKET_KINDS)('keys that the callee presses, %s sockets', (sockets) => {
  it('are told once each, with the clip that was playing; voice is not looked at', async () => {
    const [thread, peer] = [await startThread({ sockets }), await openRtpPeer()];
    const port = await prepare(thread, makeClip(1, 5000));
    const { heard, until } = listenTo(port);
    port.play({ ...peer, ...PCMU, eventPayloadTypes: [EVENTS] });
    await peer.until(2);
    peer.send(packetOf(VOICE, 1, 1, [5, 0x80, 0, 160]), port.port);
    for (const packet of press(5, 10)) peer.send(packet, port.port);
    await until(1);
    for (const packet of press(11, 20)) peer.send(packet, port.port);
    await until(2);
    expect(heard).toEqual(['5 in clip 0 begun', '# in clip 0 begun']);
  });

  it('count under the payload type that was agreed on last', async () => {
    const [thread, peer] = [await startThread({ sockets }), await openRtpPeer()];
    const port = await prepare(thread, makeClip(1, 5000));
    const { heard, until } = listenTo(port);
    port.play({ ...peer, ...PCMU, eventPayloadTypes: [96] });
    await peer.until(2);
    const to = { address: peer.address, port: peer.port };
    port.redirect({ ...to, ...PCMU, payloadType: 97, eventPayloadTypes: [EVENTS] });
    while (peer.packets().at(-1)?.payloadType !== 97) await peer.until(peer.datagrams.length + 1);
    for (const packet of press(5, 10)) peer.send(Uint8Array.from(packet).fill(96, 1, 2), port.port);
    for (const packet of press(1, 20)) peer.send(packet, port.port);
    await until(1);
    expect(heard).toEqual(['1 in clip 0 begun']);
  });

  it('do not count from another address', async () => {
    const [thread, peer] = [await startThread({ sockets, bindAddress: '0.0.0.0' }), await openRtpPeer()];
    const port = await prepare(thread, makeClip(1, 5000));
    const { heard, until } = listenTo(port);
    const stranger = createSocket('udp4');
    stranger.bind(0, '127.0.0.2');
    await once(stranger, 'listening');
    onTestFinished(() => void stranger.close());
    port.play({ ...peer, ...PCMU, eventPayloadTypes: [EVENTS] });
    await peer.until(2);
    for (const packet of press(5, 10)) await new Promise((sent) => stranger.send(packet, port.port, ADDRESS, sent));
    for (const packet of press(1, 20)) peer.send(packet, port.port);
    await until(1);
    expect(heard).toEqual(['1 in clip 0 begun']);
  });

  it('are opened where voice is encrypted, and count only if they can be', async () => {
    const [thread, peer] = [await startThread({ sockets }), await openRtpPeer()];
    const port = await prepare(thread, makeClip(1, 5000));
    const { heard, until } = listenTo(port);
    const suite = 'AES_CM_128_HMAC_SHA1_80';
    const keyingOf = (fill: number): SrtpKeying => ({
      suite,
      masterKey: new Uint8Array(16).fill(fill),
      masterSalt: new Uint8Array(14).fill(fill),
      mkiBytes: 0,
    });
    port.play({ ...peer, ...PCMU, sealing: keyingOf(1), opening: keyingOf(2), eventPayloadTypes: [EVENTS] });
    await peer.until(2);
    const sender = new SrtpSender(createProtection(keyingOf(2)));
    for (const packet of press(5, 10)) peer.send(packet, port.port);
    for (const packet of press(1, 20)) {
      const sealed = new Uint8Array(packet.length + MAX_SRTP_EXPANSION_BYTES);
      sealed.set(packet);
      peer.send(sealed.subarray(0, sender.sealRtp(sealed, packet.length)), port.port);
    }
    await until(1);
    expect(heard).toEqual(['1 in clip 0 begun']);
  });
});
