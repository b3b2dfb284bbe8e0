import fc from 'fast-check';
import { expect, test } from 'vitest';
import { advance, HORIZON_MS, latestOf, type Pace, slotOf } from './pacing.ts';

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
  expect(slots.slice(0, 6)).toEqual([0, 20, 41, 61, 82, 102]);
  expect(slots).toHaveLength(Math.ceil(HORIZON_MS / 20.4));
  expect(slotOf([paced], 1000 + HORIZON_MS / 2)).toBeCloseTo(1000 + 20 * 20.4);
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

/** The slots of claims that come so long after one another; of each, when it was claimed and until when it holds. */
const claimAll = (gaps: readonly number[], callsPerSecond: number) => {
  const slots: { at: number; latestAt: number; claimedAt: number }[] = [];
  let paced = pace(callsPerSecond);
  let now = 1_000_000;
  for (const gap of gaps) {
    now += gap;
    for (let at = slotOf([paced], now); at !== null; at = slotOf([paced], now)) {
      slots.push({ at, latestAt: latestOf([paced], at, now) ?? at, claimedAt: now });
      paced = advance(paced, at);
    }
  }
  return slots;
};
const mostInSecond = (times: readonly number[]): number =>
  Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 1000).length));

test('never more than the rate and one in any second, however late calls are for their slots, with 20 ms for the way', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 2 * HORIZON_MS }), { minLength: 20, maxLength: 60 });
  const lateness = fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true }));
  const underway = fc.infiniteStream(fc.double({ min: 0, max: 19.9, noNaN: true }));
  fc.assert(
    fc.property(gaps, lateness, underway, fc.integer({ min: 5, max: 200 }), (waits, late, way, callsPerSecond) => {
      const share = () => late.next().value;
      const slots = claimAll(waits, callsPerSecond);
      const arrivals = slots.map(({ at, latestAt }) => at + (latestAt - at) * share() + way.next().value);
      expect(mostInSecond(arrivals)).toBeLessThanOrEqual(callsPerSecond + 1);
    }),
  );
});

test('the worst: a call that is late for its slot, the next as late as it, and the way to the peer is slow for both', () => {
  const slots = claimAll(Array(20).fill(100), 50);
  const late = slots[1]?.latestAt ?? 0;
  const arrivals = (wayMs: number) => slots.map(({ at }, nth) => (nth === 1 || nth === 2 ? late + wayMs : at));
  expect([25, 25.2].map((wayMs) => mostInSecond(arrivals(wayMs)))).toEqual([51, 52]);
});

test('no slot is lost while a claim is committed within the horizon after the one before it', () => {
  const claims = fc.array(fc.integer({ min: 0, max: HORIZON_MS / 4 }), { minLength: 2, maxLength: 60 });
  const tookMs = (3 * HORIZON_MS) / 4;
  fc.assert(
    fc.property(claims, fc.integer({ min: 50, max: 200 }), (gaps, callsPerSecond) => {
      const slots = claimAll([0, ...gaps], callsPerSecond);
      const apart = slots.slice(1).map(({ at }, before) => at - (slots[before]?.at ?? 0));
      for (const ms of apart) expect(ms).toBeCloseTo(1020 / callsPerSecond);
      for (const { at, claimedAt } of slots.filter(({ claimedAt }) => claimedAt > 1_000_000))
        expect(claimedAt + tookMs).toBeLessThanOrEqual(at);
    }),
  );
});
