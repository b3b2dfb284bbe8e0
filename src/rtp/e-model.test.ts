import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateMos, type ListeningConditions } from './e-model.ts';

const GOOD: ListeningConditions = { codec: 'PCMU', lostShare: 0, jitterMs: 0, roundTripMs: 0, packetTimeMs: 20 };
const mos = (change: Partial<ListeningConditions>): number => estimateMos({ ...GOOD, ...change });

describe('the estimate of the mean opinion score', () => {
  it('is 4.4 for G.711 on a good line, as G.107 has it', () => {
    expect(mos({})).toBeCloseTo(4.4, 1);
    expect(mos({ roundTripMs: null })).toBe(mos({ roundTripMs: 0 }));
  });

  it('falls with loss as G.107 says: R 93.2 - 95 * 10 / (10 + 25.1) at 10 %', () => {
    const r = 93.2 - 0.024 * 20 - 950 / 35.1;
    expect(mos({ lostShare: 0.1 })).toBeCloseTo(1 + 0.035 * r + r * (r - 60) * (100 - r) * 7e-6, 9);
  });

  it('is between 1 and 4.5, and never better with more loss, jitter or delay', () => {
    const worse = fc.record({
      lostShare: fc.double({ min: 0, max: 2, noNaN: true }),
      jitterMs: fc.nat(2_000),
      roundTripMs: fc.nat(20_000),
    });
    fc.assert(
      fc.property(worse, fc.constantFrom('lostShare', 'jitterMs', 'roundTripMs'), (conditions, what) => {
        const before = mos(conditions);
        const after = mos({ ...conditions, [what]: conditions[what] * 1.5 });
        expect(before).toBeGreaterThanOrEqual(1);
        expect(before).toBeLessThanOrEqual(4.5);
        expect(after).toBeLessThanOrEqual(before + 1e-9);
      }),
    );
  });
});
