import { expect, it } from 'vitest';
import { measureBands, THIRD_OCTAVES_HZ } from './bands.ts';
import { tone } from './tones.ts';

it.each([8000, 16_000, 48_000])('finds a tone in its band and hardly anything elsewhere, at %d Hz', (rateHz) => {
  const heard = measureBands(tone({ hz: 1000, rateHz, seconds: 1, levelDb: -10 }), rateHz);
  const place = THIRD_OCTAVES_HZ.indexOf(1000);
  // A sine wave has half the power of a square wave.
  expect(heard[place]).toBeCloseTo(-13, 1);
  for (const [band, level] of heard.entries()) if (Math.abs(band - place) > 1) expect(level).toBeLessThan(-50);
});

it('finds the whole energy in the bands together', () => {
  const rateHz = 16_000;
  const tones = [300, 1234, 5200].map((hz) => tone({ hz, rateHz, seconds: 2, levelDb: -20 }));
  const sound = Int16Array.from({ length: 2 * rateHz }, (_, i) => tones.reduce((sum, each) => sum + (each[i] ?? 0), 0));
  const whole = measureBands(sound, rateHz).reduce((sum, level) => sum + 10 ** (level / 10), 0);
  const energy = sound.reduce((sum, sample) => sum + (sample / 32_768) ** 2, 0) / rateHz;
  expect(10 * Math.log10(whole / energy)).toBeCloseTo(0, 1);
});
