import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import {
  ADDRESS,
  bindSocket,
  expectTrueNumbers,
  makeClip,
  openRtpPeer,
  PCMU,
  PLAIN,
  pattern,
  payloads,
  prepare,
  SOCKET_KINDS,
  startThread,
} from '../../test/support/media.ts';
import { parseRtpPacket } from '../rtp/packet.ts';

describe.each(SOCKET_KINDS)('the media thread, %s sockets', (sockets) => {
  it('sends every frame once, in order, octet for octet, clips back to back', async () => {
    const [thread, peer] = [await startThread({ sockets }), await openRtpPeer()];
    const port = await prepare(thread, makeClip(1, 4), makeClip(2, 0), makeClip(3, 3));
    port.play({ ...peer, ...PCMU });
    await port.finished;
    await peer.until(7);
    expect(payloads(peer.packets())).toEqual(Buffer.concat([pattern(1, 4), pattern(3, 3)]));
    expect(peer.packets().every(({ payloadType }) => payloadType === 0)).toBe(true);
    expectTrueNumbers(peer.packets());
    expect([port.framesSent(), port.packetsSent()]).toEqual([[4, 0, 3], 7]);
  });

  it('sends the rendition of the codec, under the payload type that was negotiated, from the port it told', async () => {
    const [thread, socket] = [await startThread({ sockets }), await bindSocket()];
    const port = await prepare(thread, makeClip(1, 1));
    port.play({
      address: ADDRESS,
      port: socket.address().port,
      codec: 'PCMA',
      payloadType: 97,
      packetTimeMs: 20,
      ...PLAIN,
    });
    const [datagram, from] = await once(socket, 'message');
    expect(parseRtpPacket(datagram)).toMatchObject({ payloadType: 97, payload: Buffer.from(pattern(101, 1)) });
    expect(from.port).toBe(port.port);
  });

  it('finishes at once when there is nothing to play', async () => {
    const [thread, peer] = [await startThread({ sockets }), await openRtpPeer()];
    const port = await prepare(thread);
    port.play({ ...peer, ...PCMU });
    await port.finished;
    expect([port.framesSent(), port.packetsSent()]).toEqual([[], 0]);
  });

  it('plays once, however often it is asked to', async () => {
    const [thread, peer] = [await startThread({ sockets }), await openRtpPeer()];
    const port = await prepare(thread, makeClip(1, 2));
    port.play({ ...peer, ...PCMU });
    port.play({ ...peer, ...PCMU });
    await port.finished;
    expect(port.packetsSent()).toBe(2);
  });

  it('gives each stream numbers of its own', async () => {
    const [thread, peer] = [await startThread({ sockets }), await openRtpPeer()];
    const ports = await Promise.all([1, 2, 3, 4].map((seed) => prepare(thread, makeClip(seed, 1))));
    for (const port of ports) port.play({ ...peer, ...PCMU });
    await peer.until(4);
    for (const field of ['ssrc', 'timestamp'] as const) {
      expect(new Set(peer.packets().map((packet) => packet[field])).size).toBe(4);
    }
  });

  it('plays several calls at once, none disturbing another', async () => {
    const thread = await startThread({ sockets });
    const calls = await Promise.all(
      Array.from({ length: 20 }, async (_, seed) => ({
        seed,
        peer: await openRtpPeer(),
        port: await prepare(thread, makeClip(seed, 10)),
      })),
    );
    for (const { peer, port } of calls) port.play({ ...peer, ...PCMU });
    for (const { seed, peer } of calls) {
      await peer.until(10);
      expect(payloads(peer.packets())).toEqual(Buffer.from(pattern(seed, 10)));
      expectTrueNumbers(peer.packets());
    }
  });

  it('plays to the end while the main thread is busy', async () => {
    const [thread, peer] = [await startThread({ sockets }), await openRtpPeer()];
    const port = await prepare(thread, makeClip(9, 15));
    port.play({ ...peer, ...PCMU });
    const givingUpAtMs = performance.now() + 20_000;
    while (port.packetsSent() < 15 && performance.now() < givingUpAtMs);
    expect([peer.datagrams.length, port.packetsSent()]).toEqual([0, 15]);
    await peer.until(15);
    expect(payloads(peer.packets())).toEqual(Buffer.from(pattern(9, 15)));
    expectTrueNumbers(peer.packets());
  });

  it('follows a peer that moves', async () => {
    const [thread, before, after] = [await startThread({ sockets }), await openRtpPeer(), await openRtpPeer()];
    const port = await prepare(thread, makeClip(5, 30));
    port.play({ ...before, ...PCMU });
    await before.until(2);
    port.redirect({ ...after, ...PCMU });
    await port.finished;
    await after.until(30 - before.datagrams.length);
    const packets = [...before.packets(), ...after.packets()];
    expect(after.datagrams.length).toBeGreaterThan(0);
    expect(payloads(packets)).toEqual(Buffer.from(pattern(5, 30)));
    expectTrueNumbers(packets);
  });

  it('is silent while it is held, and goes on with the next word, the timestamp true across the silence', async () => {
    const [thread, peer, other] = [await startThread({ sockets }), await openRtpPeer(), await openRtpPeer()];
    const port = await prepare(thread, makeClip(5, 10));
    port.play({ ...peer, ...PCMU });
    await peer.until(4);
    port.hold();
    const meanwhile = await prepare(thread, makeClip(6, 10));
    const sent = port.packetsSent();
    meanwhile.play({ ...other, ...PCMU });
    await meanwhile.finished;
    expect(port.packetsSent()).toBe(sent);
    port.resume();
    expect(await port.finished).toBe('played');
    await peer.until(10);
    expect(payloads(peer.packets())).toEqual(Buffer.from(pattern(5, 10)));
    expectTrueNumbers(peer.packets());
    const [last, first] = [peer.packets()[sent - 1], peer.packets()[sent]];
    expect(first?.marker).toBe(true);
    expect(((first?.timestamp ?? 0) - (last?.timestamp ?? 0)) >>> 0).toBeGreaterThan(9 * 160);
  });

  it('plays to and from IPv6', async () => {
    const thread = await startThread({ sockets, bindAddress: '::1' });
    const peer = await openRtpPeer('::1');
    const port = await prepare(thread, makeClip(7, 3));
    port.play({ ...peer, ...PCMU });
    await peer.until(3);
    expect(payloads(peer.packets())).toEqual(Buffer.from(pattern(7, 3)));
  });

  it('counts how late packets left, of each call and of all', async () => {
    const [thread, peer] = [await startThread({ sockets }), await openRtpPeer()];
    const port = await prepare(thread, makeClip(7, 3));
    expect(port.latenessMs(0.99)).toBe(0);
    port.play({ ...peer, ...PCMU });
    await port.finished;
    expect(port.latenessMs(0.5)).toBeGreaterThan(0);
    expect(port.latenessMs(1)).toBeGreaterThanOrEqual(port.latenessMs(0.5));
    const { packets, bands } = thread.lateness();
    expect([packets, bands.reduce((sum, each) => sum + each)]).toEqual([3, 3]);
    expect(thread.isOverloaded()).toBe(false);
  });

  it('has RTCP on the port above, which is odd and bound', async () => {
    const port = await prepare(await startThread({ sockets }));
    expect(port.port % 2).toBe(0);
    await expect(bindSocket(port.port + 1)).rejects.toThrow('EADDRINUSE');
  });

  it('goes on with the other codec from the frame where it was', async () => {
    const [thread, peer] = [await startThread({ sockets }), await openRtpPeer()];
    const port = await prepare(thread, makeClip(5, 30));
    port.play({ ...peer, ...PCMU });
    await peer.until(2);
    port.redirect({
      address: peer.address,
      port: peer.port,
      codec: 'PCMA',
      payloadType: 97,
      packetTimeMs: 20,
      ...PLAIN,
    });
    await port.finished;
    await peer.until(30);
    const packets = peer.packets();
    const before = packets.filter(({ payloadType }) => payloadType === 0).length;
    expect(before).toBeLessThan(30);
    const [first, second] = [pattern(5, 30), pattern(105, 30)];
    const heard = Buffer.concat([first.subarray(0, before * 160), second.subarray(before * 160)]);
    expect(payloads(packets)).toEqual(heard);
    expectTrueNumbers(packets);
  });

  it('never answers what comes in on the RTP port', async () => {
    const [thread, peer] = [await startThread({ sockets }), await openRtpPeer()];
    const port = await prepare(thread, makeClip(6, 3));
    for (const noise of ['', 'x', 'OPTIONS sip:x SIP/2.0\r\n\r\n']) peer.send(Buffer.from(noise), port.port);
    port.play({ ...peer, ...PCMU });
    await port.finished;
    await peer.until(3);
    expect(payloads(peer.packets())).toEqual(Buffer.from(pattern(6, 3)));
  });
});

describe.each(SOCKET_KINDS)('stopping a port, %s sockets', (sockets) => {
  it('ends the sending and finishes the call', async () => {
    const [thread, peer, other] = [await startThread({ sockets }), await openRtpPeer(), await openRtpPeer()];
    const port = await prepare(thread, makeClip(1, 3_000));
    port.play({ ...peer, ...PCMU });
    await peer.until(2);
    await port.stop();
    await port.finished;
    const sent = port.packetsSent();
    const later = await prepare(thread, makeClip(2, 5));
    later.play({ ...other, ...PCMU });
    await later.finished;
    await other.until(5);
    expect([port.packetsSent(), peer.datagrams.length]).toEqual([sent, sent]);
  });

  it('releases the port of a call that is held', async () => {
    const [thread, peer] = [await startThread({ sockets }), await openRtpPeer()];
    const port = await prepare(thread, makeClip(1, 30));
    port.play({ ...peer, ...PCMU });
    await peer.until(1);
    port.hold();
    await port.stop();
    port.resume();
    expect(await port.finished).toBe('broken-off');
    await expect(bindSocket(port.port)).resolves.toBeDefined();
  });

  it('releases the port, and may be done again', async () => {
    const thread = await startThread({ sockets });
    const port = await prepare(thread, makeClip(1, 1));
    await expect(bindSocket(port.port)).rejects.toThrow('EADDRINUSE');
    await Promise.all([port.stop(), port.stop()]);
    await expect(bindSocket(port.port)).resolves.toBeDefined();
    await port.stop();
  });
});
