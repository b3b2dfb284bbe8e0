import { expect, it } from 'vitest';
import { decodeAlaw, decodeUlaw } from '../rtp/g711.ts';
import { loadBuiltInGreeting } from './built-in-greeting.ts';

const FULL_SCALE = 32_768;
const MINUS_2_DB = 0.794;

it('is two to four seconds of speech, at a level for the telephone, with silence around it', async () => {
  const { frameCount, renditions } = await loadBuiltInGreeting();
  expect(frameCount).toBeGreaterThanOrEqual(100);
  expect(frameCount).toBeLessThanOrEqual(200);
  for (const samples of [decodeUlaw(renditions.PCMU), decodeAlaw(renditions.PCMA)]) {
    expect(samples).toHaveLength(frameCount * 160);
    const peak = (part: Int16Array): number => part.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
    expect(peak(samples)).toBeGreaterThan(FULL_SCALE / 4);
    expect(peak(samples)).toBeLessThan(FULL_SCALE * MINUS_2_DB);
    expect(peak(samples.subarray(0, 800))).toBeLessThan(20);
    expect(peak(samples.subarray(-800))).toBeLessThan(20);
  }
});
