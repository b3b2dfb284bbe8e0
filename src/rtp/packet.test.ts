import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRtpPacket, RTP_HEADER_BYTES, writeRtpHeader } from './packet.ts';

const octets = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));

const anyHeader = fc.record({
  payloadType: fc.nat(127),
  marker: fc.boolean(),
  sequence: fc.nat(0xffff),
  timestamp: fc.nat(0xffffffff),
  ssrc: fc.nat(0xffffffff),
});

describe('an RTP packet', () => {
  it('is written as RFC 3550 5.1 draws it', () => {
    const target = new Uint8Array(RTP_HEADER_BYTES);
    writeRtpHeader(target, { payloadType: 8, marker: true, sequence: 0x1234, timestamp: 0xfedcba98, ssrc: 0x89abcdef });
    expect(Buffer.from(target).toString('hex')).toBe('80881234fedcba9889abcdef');
  });

  it('wraps sequence and timestamp round', () => {
    const target = new Uint8Array(RTP_HEADER_BYTES);
    writeRtpHeader(target, { payloadType: 0, marker: false, sequence: 0x10001, timestamp: 2 ** 32 + 5, ssrc: 1 });
    expect(parseRtpPacket(target)).toMatchObject({ sequence: 1, timestamp: 5 });
  });

  it('reads back what was written, whatever the header and payload', () => {
    fc.assert(
      fc.property(anyHeader, fc.uint8Array({ maxLength: 200 }), (header, payload) => {
        const packet = new Uint8Array(RTP_HEADER_BYTES + payload.length);
        writeRtpHeader(packet, header);
        packet.set(payload, RTP_HEADER_BYTES);
        expect(parseRtpPacket(packet)).toEqual({ ...header, payload });
      }),
    );
  });

  it('is read where it lies inside a larger buffer', () => {
    const whole = octets('ffff 80001234000000a000000001 aabb ffff');
    expect(parseRtpPacket(whole.subarray(2, 16))).toMatchObject({ sequence: 0x1234, payload: octets('aabb') });
  });

  it('is read past CSRC list and extension, without its padding', () => {
    const packet = octets('b2001234000000a000000001 11111111 22222222 beef0001 33333333 aabbcc 000003');
    expect(parseRtpPacket(packet)?.payload).toEqual(octets('aabbcc'));
  });

  it('may be empty, or be padding alone', () => {
    expect(parseRtpPacket(octets('80001234000000a000000001'))?.payload).toHaveLength(0);
    expect(parseRtpPacket(octets('a0001234000000a000000001 0002'))?.payload).toHaveLength(0);
  });

  it.each([
    ['no octets', ''],
    ['a header cut short', '80001234000000a0000000'],
    ['version 1', '40001234000000a000000001'],
    ['a CSRC list cut short', '81001234000000a000000001'],
    ['an extension header cut short', '90001234000000a000000001 beef'],
    ['an extension cut short', '90001234000000a000000001 beef0002 33333333'],
    ['padding of no octets', 'a0001234000000a000000001 aabb00'],
    ['padding longer than the payload', 'a0001234000000a000000001 aabb04'],
    ['padding announced, no octet behind the header', 'a0001234000000a000000000'],
  ])('is not %s', (_, hex) => {
    expect(parseRtpPacket(octets(hex))).toBeNull();
  });

  it('never throws, and never gives a payload outside the octets', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (noise) => {
        if (noise.length > 0) noise[0] = 0x80 | ((noise[0] ?? 0) & 0x3f);
        const packet = parseRtpPacket(noise);
        expect(packet === null || packet.payload.length <= noise.length - RTP_HEADER_BYTES).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});
