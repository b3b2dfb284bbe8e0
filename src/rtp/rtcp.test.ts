import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { middleOfNtp, ntpOf } from './ntp.ts';
import { writeRtpHeader } from './packet.ts';
import { averageRtcpBytes, type RtcpConditions, rtcpIntervalMs } from './rtcp-interval.ts';
import type { ReportBlock } from './rtcp-packet.ts';
import { isRtcp, parseRtcp } from './rtcp-parse.ts';
import { type RtcpReport, shortTermCname, writeRtcp } from './rtcp-write.ts';
import { qualityOf } from './stream-quality.ts';

const octets = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
const uint32 = fc.nat(0xffffffff);

const anyBlock: fc.Arbitrary<ReportBlock> = fc.record({
  ssrc: uint32,
  fractionLost: fc.nat(255),
  cumulativeLost: fc.integer({ min: -0x800000, max: 0x7fffff }),
  highestSequence: uint32,
  jitter: uint32,
  lastSenderReport: uint32,
  delaySinceSenderReport: uint32,
});
const anySender = fc.record({
  ntp: fc.record({ seconds: uint32, fraction: uint32 }),
  timestamp: uint32,
  packets: uint32,
  octets: uint32,
});
const anyReport: fc.Arbitrary<RtcpReport> = fc.record({
  ssrc: uint32,
  sender: fc.option(anySender),
  blocks: fc.array(anyBlock, { maxLength: 31 }),
  cname: fc.string({ unit: 'grapheme-ascii', maxLength: 255 }),
  isGoodbye: fc.boolean(),
});

const written = (report: RtcpReport): Uint8Array => {
  const target = new Uint8Array(1_500).fill(0xff);
  return target.subarray(0, writeRtcp(target, report));
};

const BLOCK: ReportBlock = {
  ssrc: 1,
  fractionLost: 0,
  cumulativeLost: 0,
  highestSequence: 0,
  jitter: 0,
  lastSenderReport: 0,
  delaySinceSenderReport: 0,
};

describe('a compound packet', () => {
  it('is written as RFC 3550 6.4.1, 6.5 and 6.6 draw it', () => {
    const sender = { ntp: { seconds: 1, fraction: 2 }, timestamp: 3, packets: 4, octets: 5 };
    const report = { ssrc: 0xabcdef01, sender, blocks: [], cname: 'ab', isGoodbye: true };
    expect(Buffer.from(written(report)).toString('hex')).toBe(
      [
        '80c80006abcdef010000000100000002000000030000000400000005',
        '81ca0003abcdef010102616200000000',
        '81cb0001abcdef01',
      ].join(''),
    );
  });

  it('any report is read as it was written', () => {
    fc.assert(
      fc.property(anyReport, (report) => {
        const { ssrc, sender, blocks, cname, isGoodbye } = report;
        expect(parseRtcp(written(report))).toEqual([
          { kind: 'report', ssrc, sender, blocks },
          { kind: 'description', chunks: [{ ssrc, cname }] },
          ...(isGoodbye ? [{ kind: 'goodbye', ssrcs: [ssrc] }] : []),
        ]);
      }),
    );
  });

  it('takes at most 88 octets for a call, with a CNAME of 96 random bits', () => {
    const cname = shortTermCname(new Uint8Array(16).fill(255));
    expect(cname).toBe('////////////////');
    const sender = { ntp: { seconds: 1, fraction: 2 }, timestamp: 3, packets: 4, octets: 5 };
    expect(written({ ssrc: 1, sender, blocks: [BLOCK], cname, isGoodbye: true }).length).toBe(88);
  });

  it('may hold unknown packets, several sources, other items, and padding at its end', () => {
    const parsed = parseRtcp(
      octets(
        '80c90001 00000001 82ca0005 00000002 0201 7a 0101 61 0000 00000003 00000000 80d00001 00000000 a0cb0001 00000004',
      ),
    );
    expect(parsed).toEqual([
      { kind: 'report', ssrc: 1, sender: null, blocks: [] },
      {
        kind: 'description',
        chunks: [
          { ssrc: 2, cname: 'a' },
          { ssrc: 3, cname: null },
        ],
      },
      { kind: 'other', type: 208 },
      { kind: 'goodbye', ssrcs: [] },
    ]);
  });

  it.each([
    ['nothing', ''],
    ['a header cut short', '80c9'],
    ['BYE first', '81cb000100000001'],
    ['version 1', '40c9000100000001'],
    ['padding on the first packet of two', 'a0c9000200000001 00000004 80cb0000'],
    ['padding on a report alone', 'a0c90002 00000001 00000004'],
    ['padding longer than its packet', '80c90001 00000001 a0cb0001 00000008'],
    ['padding of no octets', '80c90001 00000001 a0cb0001 00000000'],
    ['a length beyond the end', '80c9000200000001'],
    ['octets behind the end', '80c9000100000001 80'],
    ['fewer blocks than counted', '81c9000100000001'],
    ['a sender report without its sender', '80c8000100000001'],
    ['an item beyond its chunk', '80c90001 00000001 81ca0002 00000002 01ff6161'],
    ['items without an end', '80c90001 00000001 81ca0002 00000002 01026161'],
    ['fewer chunks than counted', '80c90001 00000001 82ca0002 00000002 00000000'],
    ['fewer sources than counted in BYE', '80c90001 00000001 82cb0001 00000002'],
  ])('is not %s', (_, hex) => {
    expect(parseRtcp(octets(hex))).toBeNull();
  });

  it('any octets are read without an exception, into no more packets than they can hold', () => {
    const near = fc
      .tuple(anyReport, fc.array(fc.tuple(fc.nat(200), fc.nat(255)), { maxLength: 6 }))
      .map(([report, edits]) => {
        const whole = written(report);
        for (const [at, value] of edits) if (at < whole.length) whole[at] = value;
        return whole;
      });
    fc.assert(
      fc.property(fc.oneof(near, fc.uint8Array({ maxLength: 80 })), (noise) => {
        expect((parseRtcp(noise) ?? []).length).toBeLessThanOrEqual(noise.length / 4);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('RTP and RTCP on one port (RFC 5761)', () => {
  it('are told apart by the payload type, marker or not', () => {
    const header = (payloadType: number, marker: boolean) => {
      const packet = new Uint8Array(12);
      writeRtpHeader(packet, { payloadType, marker, sequence: 1, timestamp: 1, ssrc: 1 });
      return packet;
    };
    for (const type of [0, 8, 9, 13, 96, 101, 127]) {
      expect([isRtcp(header(type, false)), isRtcp(header(type, true))]).toEqual([false, false]);
    }
    for (const type of [192, 200, 201, 202, 203, 204, 205, 206, 207])
      expect(isRtcp(octets(`80${type.toString(16)}`))).toBe(true);
    expect(isRtcp(octets(''))).toBe(false);
  });
});

describe('time between reports (RFC 3550 6.3)', () => {
  const CALL: RtcpConditions = {
    members: 2,
    senders: 2,
    isSender: true,
    isFirst: false,
    averageBytes: 120,
    rtcpBytesPerSecond: 500,
  };
  const interval = (change: Partial<RtcpConditions>, random: number) => rtcpIntervalMs({ ...CALL, ...change }, random);

  it('5 s on average over what is compensated, half before the first', () => {
    expect(interval({}, 0.5)).toBeCloseTo(5_000 / (Math.E - 1.5), 6);
    expect(interval({}, 0)).toBeCloseTo(2_500 / (Math.E - 1.5), 6);
    expect(interval({ isFirst: true }, 0.5)).toBeCloseTo(2_500 / (Math.E - 1.5), 6);
  });

  it('longer when the bandwidth asks for it, senders having a quarter of it among many', () => {
    expect(interval({ averageBytes: 5_000 }, 0.5)).toBeCloseTo(20_000 / (Math.E - 1.5), 6);
    const many = { members: 100, senders: 1, averageBytes: 1_000 };
    expect(interval(many, 0.5)).toBeCloseTo(8_000 / (Math.E - 1.5), 6);
    expect(interval({ ...many, isSender: false }, 0.5)).toBeCloseTo(264_000 / (Math.E - 1.5), 6);
  });

  it('the average size follows by a sixteenth', () => {
    expect(averageRtcpBytes(160, 320)).toBe(170);
  });
});

describe("what the peer's report says of our stream", () => {
  const SENT = { packets: 500, clockRateHz: 8_000 };

  it('the example of RFC 3550 figure 2', () => {
    const block = { ...BLOCK, lastSenderReport: 0xb7052000, delaySinceSenderReport: 0x00054000 };
    expect(qualityOf(block, SENT, 0xb7108000).roundTripMs).toBe(6_125);
  });

  it('loss and jitter, and no round trip before a sender report was answered', () => {
    expect(qualityOf({ ...BLOCK, cumulativeLost: 7, jitter: 40 }, SENT, 9)).toEqual({
      packetsLost: 7,
      jitterMs: 5,
      roundTripMs: null,
    });
  });

  it('packets that came twice are no loss, and no more can be lost than were sent', () => {
    expect(qualityOf({ ...BLOCK, cumulativeLost: -3 }, SENT, 0).packetsLost).toBe(0);
    expect(qualityOf({ ...BLOCK, cumulativeLost: 0x7fffff }, SENT, 0).packetsLost).toBe(500);
  });

  it('a round trip a little below nothing is none; one beyond a minute is not believed', () => {
    const block = { ...BLOCK, lastSenderReport: 0xffffff00, delaySinceSenderReport: 0x200 };
    expect(qualityOf(block, SENT, 0x90).roundTripMs).toBe(0);
    expect(qualityOf(block, SENT, 0x100 + 61 * 65_536).roundTripMs).toBeNull();
  });

  it('our NTP time and its middle', () => {
    expect(ntpOf(0)).toEqual({ seconds: 2_208_988_800, fraction: 0 });
    expect(ntpOf(1_500)).toEqual({ seconds: 2_208_988_801, fraction: 2 ** 31 });
    expect(middleOfNtp({ seconds: 0x12345678, fraction: 0x9abcdef0 })).toBe(0x56789abc);
  });
});
