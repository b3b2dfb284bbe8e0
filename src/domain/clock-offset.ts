/**
 * By how many milliseconds the database's clock is ahead of the monotonic one, after it showed `now` between `beforeMs`
 * and `afterMs`: as `knownMs` if that may be, else what is nearest to it. So a slow reading does not spoil what quick ones
 * told, however the clocks drift, and a clock that was set is believed at once.
 */
export const offsetAfter = (knownMs: number, now: number, beforeMs: number, afterMs: number): number =>
  Math.min(Math.max(knownMs, now - afterMs), now - beforeMs);
