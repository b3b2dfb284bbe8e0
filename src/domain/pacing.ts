/**
 * The generic cell rate algorithm (ITU-T I.371), as virtual scheduling: one number per paced thing, the theoretical
 * arrival time of its next call. Times are monotonic milliseconds.
 */
export interface Pace {
  readonly callsPerSecond: number;
  /** Theoretical arrival time of the next call. */
  readonly nextAtMs: number;
}

/** What a timer may be late without the rate suffering; more than that is lost, so that no burst follows a stall. */
const TOLERANCE_MS = 20;

export const startPace = (callsPerSecond: number, nowMs: number): Pace => ({ callsPerSecond, nextAtMs: nowMs });

/** How many calls may start at `nowMs`. */
export const allowance = (pace: Pace, nowMs: number): number => {
  const from = schedule(pace, nowMs);
  return nowMs < from ? 0 : Math.floor((nowMs - from) / intervalMs(pace)) + 1;
};

/** The pace after `calls` more calls started at `nowMs`. */
export const advance = (pace: Pace, nowMs: number, calls: number): Pace => ({
  ...pace,
  nextAtMs: schedule(pace, nowMs) + calls * intervalMs(pace),
});

const schedule = (pace: Pace, nowMs: number): number => Math.max(pace.nextAtMs, nowMs - TOLERANCE_MS);
const intervalMs = (pace: Pace): number => 1000 / pace.callsPerSecond;
