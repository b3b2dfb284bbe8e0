import { describe, expect, it } from 'vitest';
import { decodeUlaw } from './g711.ts';
import { ulawToWav } from './ulaw-wav.ts';
import { writeWav } from './wav.ts';

describe('ulawToWav', () => {
  it.each([0, 1, 31_999, 32_000, 32_001, 100_000])('makes of %i octets the very file, in small parts', (length) => {
    const ulaw = Uint8Array.from({ length }, (_, i) => (i * 7) & 0xff);
    const { bytes, parts } = ulawToWav(ulaw);
    const all = [...parts];
    expect(Buffer.concat(all)).toEqual(Buffer.from(writeWav(decodeUlaw(ulaw), 8000)));
    expect(bytes).toBe(44 + 2 * length);
    expect(Math.max(...all.map((part) => part.length))).toBeLessThanOrEqual(64_000);
  });
});
