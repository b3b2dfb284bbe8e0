import fc from 'fast-check';
import { expect, test } from 'vitest';
import { monotonicOf, narrow, UNKNOWN_OFFSET } from './clock-offset.ts';

test('is known the better the more often it was read', () => {
  const trips = fc.array(fc.tuple(fc.nat(50), fc.nat(50)), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(trips, fc.integer({ min: -1e6, max: 1e6 }), (all, offset) => {
      let known = UNKNOWN_OFFSET;
      for (const [at, [there, back]] of all.entries()) {
        const readAtMs = 1000 + at * 100;
        known = narrow(known, readAtMs + offset, readAtMs - there, readAtMs + back);
        expect(known.leastMs <= offset && offset <= known.mostMs).toBe(true);
      }
      const best = Math.min(...all.map(([there]) => there)) + Math.min(...all.map(([, back]) => back));
      expect(Math.abs(monotonicOf(known, 5000 + offset) - 5000)).toBeLessThanOrEqual(best / 2);
    }),
  );
});

test('begins anew when a clock was set', () => {
  const before = narrow(UNKNOWN_OFFSET, 5000, 999, 1001);
  expect(monotonicOf(narrow(before, 3_605_000, 1999, 2001), 3_605_000)).toBe(2000);
});
