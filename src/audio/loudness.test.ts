import { describe, expect, it } from 'vitest';
import { gainFor } from './level.ts';
import { measureLoudness } from './loudness.ts';
import { trimSilence } from './silence.ts';
import { truePeak } from './true-peak.ts';

const RATE_HZ = 8000;

/** A sine wave at a level in dB below full scale, from a phase on. */
const sine = (hz: number, seconds: number, levelDb: number, phase = 0): Float32Array =>
  Float32Array.from(
    { length: seconds * RATE_HZ },
    (_, i) => 10 ** (levelDb / 20) * Math.sin((2 * Math.PI * hz * i) / RATE_HZ + phase),
  );
const silence = (seconds: number): Float32Array => new Float32Array(seconds * RATE_HZ);
const joined = (...parts: Float32Array[]): Float32Array => Float32Array.from(parts.flatMap((part) => [...part]));
const inDb = (ratio: number): number => 20 * Math.log10(ratio);

describe('measureLoudness', () => {
  it.each([8000, 16_000, 48_000])(
    'gives -3.01 LUFS for a full-scale sine at 997 Hz, at %d Hz (BS.1770-5, annex 1)',
    async (rateHz) => {
      const samples = Float32Array.from({ length: 2 * rateHz }, (_, i) => Math.sin((2 * Math.PI * 997 * i) / rateHz));
      expect(await measureLoudness(samples, rateHz)).toBeCloseTo(-3.01, 1);
    },
  );

  it('leaves pauses out, and what is 10 LU below the rest', async () => {
    const speech = sine(1000, 3, -20);
    const alone = await measureLoudness(speech, RATE_HZ);
    expect(await measureLoudness(joined(speech, silence(20)), RATE_HZ)).toBeCloseTo(alone, 0);
    expect(await measureLoudness(joined(speech, sine(1000, 9, -45)), RATE_HZ)).toBeCloseTo(alone, 0);
  });

  it('measures less than 400 ms as one block', async () => {
    for (const seconds of [0.02, 0.1, 0.39]) {
      expect(Math.abs((await measureLoudness(sine(1000, seconds, -20), RATE_HZ)) + 23)).toBeLessThan(0.5);
    }
  });

  it('hears nothing in silence, and nothing in nothing', async () => {
    for (const samples of [silence(1), silence(0), sine(1000, 1, -90)]) {
      expect(await measureLoudness(samples, RATE_HZ)).toBe(-Infinity);
    }
  });
});

describe('truePeak', () => {
  it.each([
    ['between two samples', 2000, Math.PI / 4, -6],
    ['at the edge of the telephone band', 3400, 0.3, -6],
    ['on a sample', 1000, 0, 0],
  ])('finds the peak of a sine %s', (_, hz, phase, levelDb) => {
    expect(Math.abs(inDb(truePeak(sine(hz, 0.5, levelDb, phase))) - levelDb)).toBeLessThan(0.2);
  });

  it('is 0 for silence', () => {
    expect(truePeak(silence(0.1))).toBe(0);
  });
});

describe('trimSilence', () => {
  const speech = sine(1000, 1, -20);
  const lengths = (samples: Float32Array) => {
    const { start, end } = trimSilence(samples, RATE_HZ, -23);
    return [start / RATE_HZ, end / RATE_HZ];
  };

  it('keeps 300 ms before and behind', () => {
    expect(lengths(joined(silence(2), speech, silence(1)))).toEqual([1.7, 3.3]);
    expect(lengths(joined(silence(0.2), speech, silence(0.3)))).toEqual([0, 1.5]);
  });

  it('counts noise 40 LU below the speech as silence, and nothing louder', () => {
    const hum = (levelDb: number) => sine(100, 2, levelDb);
    expect(lengths(joined(hum(-66), speech))).toEqual([1.7, 3]);
    expect(lengths(joined(hum(-50), speech))).toEqual([0, 3]);
  });

  it('keeps what is silent throughout, and never cuts a pause', () => {
    expect(trimSilence(silence(3), RATE_HZ, -Infinity)).toEqual({ start: 0, end: 24_000 });
    expect(lengths(joined(speech, silence(5), speech))).toEqual([0, 7]);
  });
});

describe('gainFor', () => {
  it.each([
    ['raises what is quiet', -30, -20, 10],
    ['lowers what is loud', -9, -1, -11],
    ['stops at a true peak of -2 dBFS', -30, -5, 3],
    ['raises by 40 dB at most', -65, -62, 40],
    ['leaves silence alone', -Infinity, -90, 0],
  ])('%s', (_, loudnessLufs, peakDb, gainDb) => {
    expect(inDb(gainFor(loudnessLufs, 10 ** (peakDb / 20)))).toBeCloseTo(gainDb);
  });
});
