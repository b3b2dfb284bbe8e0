import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinOpus } from './opus-packet.ts';
import { packetTimeOf } from './packet-layout.ts';

describe('packet times', () => {
  it('what cannot be is cut to what is next below, and never outside of 10 to 60 ms', () => {
    expect([5, 25, 35, 60, 120].map((ms) => packetTimeOf('PCMU', ms))).toEqual([10, 20, 30, 60, 60]);
    expect([5, 10, 30, 50, 120].map((ms) => packetTimeOf('opus', ms))).toEqual([20, 20, 20, 40, 60]);
  });
});

/** Reads as RFC 6716 3.2 says, codes 0 to 3 without padding, to what is joined: one frame each. */
const split = (packet: Uint8Array): Uint8Array[] => {
  const toc = (packet[0] ?? 0) & ~3;
  const code = (packet[0] ?? 0) & 3;
  let at = code === 3 ? 2 : 1;
  const length = (): number => {
    const first = packet[at++] ?? 0;
    return first < 252 ? first : first + 4 * (packet[at++] ?? 0);
  };
  const count = code === 0 ? 1 : code === 3 ? (packet[1] ?? 0) & 0x3f : 2;
  const isVbr = code === 2 || (code === 3 && ((packet[1] ?? 0) & 0x80) !== 0);
  const sizes = isVbr ? Array.from({ length: count - 1 }, length) : [];
  if (!isVbr) for (let i = 1; i < count; i++) sizes.push((packet.length - at) / count);
  return [...sizes, packet.length - at - sizes.reduce((a, b) => a + b, 0)].map((size) => {
    at += size;
    return Uint8Array.of(toc, ...packet.subarray(at - size, at));
  });
};

describe('joining Opus frames', () => {
  const frame = (toc: number, bytes: number, fill = 1) => Uint8Array.of(toc, ...new Uint8Array(bytes).fill(fill));
  const join = (...frames: Uint8Array[]) => {
    const target = new Uint8Array(5_000);
    const length = joinOpus(target, frames);
    return length === null ? null : target.subarray(0, length);
  };

  it('equal sizes: codes 0, 1 and 3 without lengths', () => {
    const [a, b, c] = [frame(0x48, 2, 1), frame(0x48, 2, 2), frame(0x48, 2, 3)];
    expect(join(a)).toEqual(a);
    expect(join(a, b)).toEqual(Uint8Array.of(0x49, 1, 1, 2, 2));
    expect(join(a, b, c)).toEqual(Uint8Array.of(0x4b, 3, 1, 1, 2, 2, 3, 3));
  });

  it('other sizes: codes 2 and 3 with lengths of one or two octets', () => {
    expect(join(frame(0x48, 1, 7), frame(0x48, 2, 8))).toEqual(Uint8Array.of(0x4a, 1, 7, 8, 8));
    expect(join(frame(0x48, 255, 7), frame(0x48, 1, 8))?.subarray(0, 3)).toEqual(Uint8Array.of(0x4a, 255, 0));
  });

  it('any frames come apart as they went together', () => {
    const sizes = fc.array(fc.oneof(fc.nat(300), fc.nat(1_275)), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(sizes, fc.nat(63), (bytes, config) => {
        const frames = bytes.map((size, i) => frame(config << 2, size, i + 1));
        expect(split(join(...frames) ?? new Uint8Array())).toEqual(frames);
      }),
    );
  });

  it('what cannot be joined is left', () => {
    expect(join()).toBeNull();
    expect(join(frame(0x48, 1), frame(0x50, 1))).toBeNull();
    expect(join(frame(0x49, 2), frame(0x49, 2))).toBeNull();
    expect(join(new Uint8Array(), new Uint8Array())).toBeNull();
    expect(join(...Array<Uint8Array>(4).fill(frame(0x48, 1)))).toBeNull();
    expect(joinOpus(new Uint8Array(4), [frame(0x48, 2), frame(0x48, 2)])).toBeNull();
  });
});
