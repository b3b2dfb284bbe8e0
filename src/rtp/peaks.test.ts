import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeUlaw, encodeUlaw } from './g711.ts';
import { waveformOfUlaw } from './peaks.ts';

it('gives the lowest and the highest sample of each stretch', () => {
  const ulaw = encodeUlaw(Int16Array.of(0, 16_000, -8000, 0, 0, 4000));
  const { peaks } = waveformOfUlaw(ulaw, 3);
  expect(peaks).toEqual([
    [0, expect.closeTo(16_000 / 32_768, 1)],
    [expect.closeTo(-8000 / 32_768, 1), 0],
    [0, expect.closeTo(4000 / 32_768, 1)],
  ]);
});

it('tells how loud a sine wave and silence are', () => {
  const sine = Int16Array.from({ length: 8000 }, (_, at) => Math.round(16_384 * Math.sin((2 * Math.PI * at) / 80)));
  const { peakDbfs, rmsDbfs } = waveformOfUlaw(encodeUlaw(sine), 10);
  expect([peakDbfs, rmsDbfs]).toEqual([expect.closeTo(-6, 0), expect.closeTo(-9, 0)]);
  expect(waveformOfUlaw(new Uint8Array(320).fill(0xff), 2)).toEqual({
    peaks: [
      [0, 0],
      [0, 0],
    ],
    peakDbfs: null,
    rmsDbfs: null,
  });
  expect(waveformOfUlaw(new Uint8Array(), 5)).toEqual({ peaks: [], peakDbfs: null, rmsDbfs: null });
});

it('holds every sample in exactly one stretch, whatever the numbers', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 500 }), fc.integer({ min: 1, max: 600 }), (ulaw, points) => {
      const { peaks } = waveformOfUlaw(ulaw, points);
      expect(peaks).toHaveLength(Math.min(points, ulaw.length));
      const samples = [...decodeUlaw(ulaw)].map((sample) => Number((sample / 32_768).toFixed(4)));
      expect(Math.max(...peaks.map(([, highest]) => highest))).toBe(Math.max(...samples));
      expect(Math.min(...peaks.map(([lowest]) => lowest))).toBe(Math.min(...samples));
      if (points >= ulaw.length) expect(peaks.map(([lowest]) => lowest)).toEqual(samples);
    }),
  );
});
