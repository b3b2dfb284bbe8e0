/**
 * By how much the database's clock is ahead of the monotonic one: each reading, between two of the monotonic clock, leaves
 * a range, and where ranges meet it is known to a fraction of a round trip.
 */
export interface ClockOffset {
  readonly leastMs: number;
  readonly mostMs: number;
}

export const UNKNOWN_OFFSET: ClockOffset = { leastMs: Number.NEGATIVE_INFINITY, mostMs: Number.POSITIVE_INFINITY };

/** The offset after the database's clock showed `now` between `beforeMs` and `afterMs`. A clock that jumped begins anew. */
export const narrow = (known: ClockOffset, now: number, beforeMs: number, afterMs: number): ClockOffset => {
  const leastMs = Math.max(known.leastMs, now - afterMs);
  const mostMs = Math.min(known.mostMs, now - beforeMs);
  return leastMs <= mostMs ? { leastMs, mostMs } : { leastMs: now - afterMs, mostMs: now - beforeMs };
};

/** The monotonic time at which the database's clock shows `at`. */
export const monotonicOf = ({ leastMs, mostMs }: ClockOffset, at: number): number => at - (leastMs + mostMs) / 2;
