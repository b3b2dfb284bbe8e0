import fc from 'fast-check';
import { expect, test } from 'vitest';
import { advance, HORIZON_MS, type Pace, slotOf } from './pacing.ts';

const pace = (callsPerSecond: number | null, nextAt = 0): Pace => ({ callsPerSecond, nextAt });

test('gives out slots at the rate, as far as the horizon', () => {
  const slots: number[] = [];
  let paced = pace(50);
  for (;;) {
    const slot = slotOf([paced], 1000);
    if (slot === null) break;
    slots.push(Math.round(slot - 1000));
    paced = advance(paced, slot);
  }
  expect(slots).toEqual([0, 20, 40, 61, 81, 101, 121, 141, 162, 182]);
  expect(slotOf([paced], 1000 + HORIZON_MS / 2)).toBeCloseTo(1000 + 10 * 20.2);
});

test('takes the slot that all paces have free', () => {
  expect(slotOf([pace(1, 1100), pace(10, 1050), pace(null, 9999)], 1000)).toBe(1100);
});

test('what a pause has lost is not made up for', () => {
  expect(slotOf([advance(pace(50), 0)], 60_000)).toBe(60_000);
});

test('a clock that is set back holds nobody up', () => {
  expect(slotOf([pace(50, 4_600_000)], 1_000_000)).toBe(1_000_000);
});

test('never more than the rate and one in any second, whenever it is asked, and never less while it is asked in time', () => {
  const waits = fc.array(fc.integer({ min: 0, max: HORIZON_MS - 20 }), { minLength: 20, maxLength: 100 });
  fc.assert(
    fc.property(waits, fc.integer({ min: 5, max: 200 }), (gaps, callsPerSecond) => {
      const slots: number[] = [];
      let paced = pace(callsPerSecond);
      let now = 1_000_000;
      for (const gap of gaps) {
        now += gap;
        for (let slot = slotOf([paced], now); slot !== null; slot = slotOf([paced], now)) {
          slots.push(slot);
          paced = advance(paced, slot);
        }
      }
      const inSecond = (from: number) => slots.filter((slot) => slot >= from && slot < from + 1000).length;
      const lasted = (slots.at(-1) ?? 0) - (slots[0] ?? 0);
      expect(Math.max(...slots.map(inSecond))).toBeLessThanOrEqual(callsPerSecond + 1);
      // A slot further off than the horizon is not given out: a rate below it may lose what lies between two looks.
      if (1000 / callsPerSecond <= 20)
        expect(slots.length - 1).toBeGreaterThanOrEqual(Math.floor((lasted * callsPerSecond) / 1010) - 1);
    }),
  );
});
