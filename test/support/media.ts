import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { monotonicMs, wakeAfter } from '../../src/clock.ts';
import type { ClipAudio } from '../../src/domain/call.ts';
import { CODEC_FRAMES, type Codec, renditionBytes } from '../../src/domain/codec.ts';
import type { Log } from '../../src/domain/ports.ts';
import { NO_SILENCES } from '../../src/domain/silences.ts';
import { type MediaPort, type MediaThread, type MediaThreadOptions, startMediaThread } from '../../src/media/link.ts';
import { parseRtpPacket, type RtpPacket } from '../../src/rtp/packet.ts';
import { sharedRenditions } from './renditions.ts';

export const ADDRESS = '127.0.0.1';

/** Resolves when the port is free; a socket closed before is fine. */
export const closeSocket = async (socket: Socket): Promise<void> => {
  try {
    socket.close();
    await once(socket, 'close');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SOCKET_DGRAM_NOT_RUNNING') throw error;
  }
};

/** Keeps what was logged, one line an entry. */
export const makeLog = () => {
  const lines: string[] = [];
  const at = (level: string) => (_fields: object, message: string) => {
    // Told where the kernel forbids io_uring: of the machine, not of the test.
    if (!message.startsWith('RTP takes a system call')) lines.push(`${level} ${message}`);
  };
  const log: Log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  return { log, lines };
};

/** What RTP may be sent through; `auto` is the C library on Linux. */
export const SOCKET_KINDS = ['auto', 'sendmsg', 'portable'] as const;

/** A media thread that is closed when the test is over. */
export const startThread = async (options: Partial<MediaThreadOptions> = {}): Promise<MediaThread> => {
  const thread = await startMediaThread({
    bindAddress: ADDRESS,
    ports: [0, 0],
    threads: 1,
    sockets: 'auto',
    log: makeLog().log,
    nowMs: monotonicMs,
    wakeAfter,
    ...options,
  });
  onTestFinished(() => thread.close());
  return thread;
};

export const bindSocket = async (port = 0, address = ADDRESS) => {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  socket.bind(port, address);
  await once(socket, 'listening');
  onTestFinished(() => closeSocket(socket));
  return socket;
};

/** A peer that keeps every datagram it gets. */
export const openRtpPeer = async (address = ADDRESS) => {
  const socket = await bindSocket(0, address);
  const datagrams: Buffer[] = [];
  socket.on('message', (datagram) => datagrams.push(datagram));
  return {
    address,
    port: socket.address().port,
    socket,
    datagrams,
    packets: (): readonly RtpPacket[] => datagrams.map((datagram) => parseRtpPacket(datagram) as RtpPacket),
    async until(count: number): Promise<void> {
      while (datagrams.length < count) await once(socket, 'message');
    },
    send: (octets: Uint8Array, port: number) => socket.send(octets, port, ADDRESS),
  };
};

const toShared = (octets: Uint8Array): SharedArrayBuffer => {
  const shared = new SharedArrayBuffer(octets.length);
  new Uint8Array(shared).set(octets);
  return shared;
};

/** One frame of 20 ms, fullband, mono (RFC 6716 3.1). */
const OPUS_TOC = 0x78 + 0x80;

/** Frames whose octets tell codec, clip, frame and place apart; those of Opus begin like frames of Opus. */
export const pattern = (seed: number, frameCount: number, codec: Codec = 'PCMU'): Uint8Array => {
  const { frameBytes } = CODEC_FRAMES[codec];
  const first = seed + 100 * ['PCMU', 'PCMA', 'G722', 'opus'].indexOf(codec);
  return Uint8Array.from({ length: renditionBytes(codec, frameCount) }, (_, i) =>
    codec === 'opus' && i % frameBytes === 0 ? OPUS_TOC : first + 7 * Math.floor(i / frameBytes) + i,
  );
};

export const makeClip = (seed: number, frameCount: number): ClipAudio => ({
  key: `clip ${seed}`,
  mediaId: null,
  frameCount,
  renditions: sharedRenditions((codec) => toShared(pattern(seed, frameCount, codec))),
});

/** What a peer without encryption and keys is sent. */
export const PLAIN = { sealing: null, opening: null, eventPayloadTypes: [], comedia: false, rtcp: null } as const;
export const PCMU = { codec: 'PCMU', payloadType: 0, packetTimeMs: 20, ...PLAIN } as const;

/** A media port that is stopped when the test is over. */
export const prepare = async (thread: MediaThread, ...clips: ClipAudio[]): Promise<MediaPort> => {
  const port = await thread.prepare({ clips, silences: NO_SILENCES });
  onTestFinished(() => port.stop());
  return port;
};

export const payloads = (packets: readonly RtpPacket[]): Buffer => Buffer.concat(packets.map(({ payload }) => payload));

/** What a packet says of its place in its stream. */
export type StreamNumbers = Pick<RtpPacket, 'sequence' | 'timestamp' | 'marker' | 'ssrc'>;

/**
 * Numbers of a stream: frames count the sequence up by one; the timestamp moves by whole slots, and where a starved
 * machine made it move by more than one, the marker says so.
 */
export const expectTrueNumbers = (packets: readonly StreamNumbers[], frameSamples = 160): void => {
  expect(packets[0]?.marker).toBe(true);
  for (const [i, packet] of packets.entries()) {
    const before = packets[i - 1];
    if (before === undefined) continue;
    const samples = (packet.timestamp - before.timestamp) >>> 0;
    expect((packet.sequence - before.sequence) & 0xffff).toBe(1);
    expect([samples % (frameSamples / 2), samples > 0, packet.ssrc]).toEqual([0, true, before.ssrc]);
    expect(packet.marker).toBe(samples > frameSamples);
  }
};
