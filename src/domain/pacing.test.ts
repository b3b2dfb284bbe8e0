import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { advance, allowance, type Pace, startPace } from './pacing.ts';

const run = (callsPerSecond: number, wakeTimesMs: readonly number[]): number[] => {
  let pace: Pace = startPace(callsPerSecond, 0);
  const starts: number[] = [];
  for (const nowMs of wakeTimesMs) {
    const calls = allowance(pace, nowMs);
    pace = advance(pace, nowMs, calls);
    for (let call = 0; call < calls; call++) starts.push(nowMs);
  }
  return starts;
};

describe('pacing', () => {
  it('starts the first call at once and the next an interval later', () => {
    expect(run(10, [0, 99, 100, 150, 200])).toEqual([0, 100, 200]);
  });

  it('keeps the rate when wake-ups are a little late', () => {
    const wakes = Array.from({ length: 1000 }, (_, index) => index * 20 + (index % 3) * 5);
    expect(run(50, wakes).length).toBeGreaterThanOrEqual(999);
  });

  it('does not make up for a stall', () => {
    expect(run(50, [0, 60_000]).filter((at) => at === 60_000)).toHaveLength(2);
  });

  it('never starts more than the rate, plus what the tolerance allows, in any second', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), steps, (callsPerSecond, gaps) => {
        let at = 0;
        const starts = run(
          callsPerSecond,
          gaps.map((gap) => (at += gap)),
        );
        const most = callsPerSecond + Math.floor((20 * callsPerSecond) / 1000) + 1;
        for (const [index, from] of starts.entries()) {
          const within = starts.slice(index).filter((start) => start < from + 1000).length;
          expect(within).toBeLessThanOrEqual(most);
        }
      }),
    );
  });
});
