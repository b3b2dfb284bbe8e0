import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { CODEC_FRAMES, FRAME_MS } from '../../src/domain/codec.ts';
import { toPcap } from '../../src/trace/pcap.ts';
import { ADDRESS, bindSocket, expectTrueNumbers, type StreamNumbers } from '../support/media.ts';
import { noiseClip, openCaller } from './caller.ts';
import { describeWithPeer } from './peer-program.ts';
import { OVER_TCP, startSipp } from './sipp.ts';

const run = promisify(execFile);

type Captured = Parameters<typeof toPcap>[0][number];

/** An ear that keeps what came, when, and from where: a capture that needs no right to listen on an interface. */
const openCapture = async () => {
  const socket = await bindSocket();
  const { port } = socket.address();
  const captured: Captured[] = [];
  socket.on('message', (octets, from) => {
    const [local, remote] = [{ address: ADDRESS, port }, from];
    captured.push({ direction: 'received', transport: 'udp', local, remote, seenAt: Date.now(), octets });
  });
  const until = async (count: number): Promise<void> => {
    while (captured.length < count) await once(socket, 'message');
  };
  return { port, captured, until };
};

/** What tshark says about a capture whose packets to `port` are RTP. */
const analyse = async (captured: readonly Captured[], port: number, ...options: string[]): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'ringcast-capture-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'rtp.pcap');
  await writeFile(file, toPcap(captured));
  return (await run('tshark', ['-n', '-r', file, '-d', `udp.port==${port},rtp`, ...options])).stdout;
};

/** Sequence number, timestamp, marker and SSRC of each packet. */
const NUMBERS = ['rtp.seq', 'rtp.timestamp', 'rtp.marker', 'rtp.ssrc'].flatMap((field) => ['-e', field]);

const numbersOf = (table: string): StreamNumbers[] =>
  table
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [sequence, timestamp, marker, ssrc] = line.split('\t');
      return {
        sequence: Number(sequence),
        timestamp: Number(timestamp),
        marker: marker === '1',
        ssrc: Number(ssrc),
      };
    });

/** The longest time between two packets that follow each other, in units of the timestamp. */
const longestGap = (packets: readonly StreamNumbers[]): number =>
  Math.max(...packets.slice(1).map(({ timestamp }, at) => (timestamp - (packets[at]?.timestamp ?? 0)) >>> 0));

/** sipp holds for 200 ms at least. */
const HOLD_SAMPLES = 1600;

describeWithPeer('tshark', 'tshark', () => {
  describeWithPeer('sipp', 'sip-tester', () => {
    it.each([
      ['clip after clip in PCMU', 'answers', 'PCMU', 0, 'g711U', 160],
      ['clip after clip in PCMA', 'answers', 'PCMA', 8, 'g711A', 160],
      ['clip after clip in G.722', 'answers', 'G722', 9, 'g722', 160],
      ['clip after clip in Opus', 'answers', 'opus', 111, 'RTPType-111', 960],
      ['a hold', 'holds', 'PCMU', 0, 'g711U', HOLD_SAMPLES],
    ] as const)(
      'sees one stream without loss or repeats and with true timestamps across %s',
      async (_, scenario, codec, payload_type, name, leastGap) => {
        const encoding = codec === 'opus' ? 'opus/48000/2' : `${codec}/8000`;
        const capture = await openCapture();
        const how = scenario === 'holds' ? OVER_TCP : [];
        const sipp = await startSipp(scenario, { heard_on: capture.port, payload_type, encoding }, how);
        const caller = await openCaller();
        const clips = [noiseClip('one', 30), noiseClip('two', 1), noiseClip('three', 44)];
        const silences = { leadInMs: 60, gapMs: 40, tailMs: 20 };
        const result = await caller.ring(sipp.uri, { clips, silences, codecs: [codec] }).result;
        expect(result).toMatchObject({ outcome: 'completed', codec, framesSent: [30, 1, 44] });
        expect(await sipp.exited, sipp.output()).toBe(0);

        const packets = 75 + (60 + 2 * 40 + 20) / 20;
        await capture.until(packets);
        const streams = await analyse(capture.captured, capture.port, '-q', '-z', 'rtp,streams');
        expect(streams.match(/ [\w-]+ +\d+ +\d+ \(.*/g)).toEqual([
          expect.stringMatching(`^ ${name} +${packets} +0 \\(0\\.0%\\)`),
        ]);
        const numbers = numbersOf(await analyse(capture.captured, capture.port, '-T', 'fields', ...NUMBERS));
        expectTrueNumbers(numbers, (CODEC_FRAMES[codec].clockRateHz * FRAME_MS) / 1000);
        expect(longestGap(numbers)).toBeGreaterThanOrEqual(leastGap);
      },
    );
  });
});
