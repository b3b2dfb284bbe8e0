import fc from 'fast-check';
import { expect, test } from 'vitest';
import { offsetAfter } from './clock-offset.ts';

test('is known as well as by the quickest reading, and slow ones do not spoil it', () => {
  const trips = fc.array(fc.tuple(fc.nat(50), fc.nat(50)), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(trips, fc.integer({ min: -1e6, max: 1e6 }), (all, offsetMs) => {
      let knownMs = 0;
      for (const [at, [there, back]] of all.entries()) {
        const readAtMs = 1000 + at * 100;
        knownMs = offsetAfter(knownMs, readAtMs + offsetMs, readAtMs - there, readAtMs + back);
      }
      expect(Math.abs(knownMs - offsetMs)).toBeLessThanOrEqual(Math.min(...all.map((trip) => Math.max(...trip))));
    }),
  );
});

test('follows clocks that drift apart, slow readings or not', () => {
  let knownMs = 0;
  for (let second = 0; second < 600; second++) {
    const [readAtMs, offsetMs, slowMs] = [second * 1000, 5000 + second / 2, second % 3 === 0 ? 40 : 1];
    knownMs = offsetAfter(knownMs, readAtMs + offsetMs, readAtMs - slowMs, readAtMs + 1);
    if (second > 0) expect(Math.abs(knownMs - offsetMs)).toBeLessThanOrEqual(2);
  }
});

test('believes a clock that was set', () => {
  const before = offsetAfter(0, 5000, 999, 1001);
  expect(offsetAfter(before, 3_605_000, 1999, 2001)).toBe(3_605_000 - 2001);
});
