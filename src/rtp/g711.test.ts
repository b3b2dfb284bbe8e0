import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ALAW_SILENCE, decodeAlaw, decodeUlaw, encodeAlaw, encodeUlaw, ULAW_SILENCE } from './g711.ts';

const EVERY_SAMPLE = Int16Array.from({ length: 0x10000 }, (_, i) => i - 0x8000);
const EVERY_OCTET = Uint8Array.from({ length: 0x100 }, (_, i) => i);

/** Intervals of one sign as G.711 tables 1a and 2a list them: how many, and how wide. */
type Intervals = readonly (readonly [count: number, width: number])[];

/** Table 2a/G.711: µ-law, on a scale of 8,159. */
const ULAW_INTERVALS: Intervals = [[1, 1], [15, 2], ...[4, 8, 16, 32, 64, 128, 256].map((w) => [16, w] as const)];
/** Table 1a/G.711: A-law, on a scale of 4,096. */
const ALAW_INTERVALS: Intervals = [[32, 2], ...[4, 8, 16, 32, 64, 128].map((w) => [16, w] as const)];

const decisionValues = (intervals: Intervals, unit: number): number[] => {
  const values = [0];
  for (const [count, width] of intervals) {
    for (let i = 0; i < count; i++) values.push((values.at(-1) as number) + width * unit);
  }
  return values;
};

/** Number of the interval that `sample` lies in, searched in the table; beyond the last one it is the last. */
const intervalOf = (values: number[], sample: number): number => {
  const size = sample < 0 ? -sample - 1 : sample;
  const above = values.findIndex((value) => value > size);
  return (above === -1 ? values.length - 1 : above) - 1;
};

const digest = (samples: Int16Array): string =>
  createHash('sha256')
    .update(Uint8Array.from([...samples].flatMap((s) => [s & 0xff, (s >> 8) & 0xff])))
    .digest('hex');

describe('G.711 encoding', () => {
  it('puts each of the 65,536 samples into its µ-law interval of table 2a', () => {
    const values = decisionValues(ULAW_INTERVALS, 4);
    expect(values.at(-1)).toBe(8159 * 4);
    const expected = EVERY_SAMPLE.map((s) => (s < 0 ? 0x7f : 0xff) - intervalOf(values, s));
    expect(encodeUlaw(EVERY_SAMPLE)).toEqual(Uint8Array.from(expected));
  });

  it('puts each of the 65,536 samples into its A-law interval of table 1a, even bits inverted', () => {
    const values = decisionValues(ALAW_INTERVALS, 8);
    expect(values.at(-1)).toBe(4096 * 8);
    const expected = EVERY_SAMPLE.map((s) => ((s < 0 ? 0 : 0x80) + intervalOf(values, s)) ^ 0x55);
    expect(encodeAlaw(EVERY_SAMPLE)).toEqual(Uint8Array.from(expected));
  });

  it('encodes zero as silence', () => {
    expect([...encodeUlaw(new Int16Array(2))]).toEqual([ULAW_SILENCE, ULAW_SILENCE]);
    expect([...encodeAlaw(new Int16Array(2))]).toEqual([ALAW_SILENCE, ALAW_SILENCE]);
  });
});

describe('G.711 decoding', () => {
  it('gives what FFmpeg (pcm_mulaw, pcm_alaw) decodes from octets 0 to 255', () => {
    expect(digest(decodeUlaw(EVERY_OCTET))).toBe('3dab54339e520bb2c924826e3b72a917a2b612e9fd12fc867500f1d983a75827');
    expect(digest(decodeAlaw(EVERY_OCTET))).toBe('e04788d110e58ff8c70c93b8480190d973e3b67876b6119abbaec766cc75c174');
  });

  it('is undone by encoding, but for the negative zero of µ-law', () => {
    const withoutNegativeZero = EVERY_OCTET.map((octet) => (octet === 0x7f ? 0xff : octet));
    expect(encodeUlaw(decodeUlaw(EVERY_OCTET))).toEqual(withoutNegativeZero);
    expect(encodeAlaw(decodeAlaw(EVERY_OCTET))).toEqual(EVERY_OCTET);
  });
});
