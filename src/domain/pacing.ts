/**
 * The generic cell rate algorithm (ITU-T I.371), as virtual scheduling: one number per paced thing, the earliest time
 * at which its next call may be dialled. A call gets the first slot that all of its paces have free, and is dialled at
 * that time. Slots are given out a little ahead, so that no timer and no commit that is late costs any of the rate; time
 * in which nobody asked is lost, so that no burst follows it. Times are milliseconds of the database's clock.
 */
export interface Pace {
  /** Null for no limit. */
  readonly callsPerSecond: number | null;
  readonly nextAt: number;
}

/**
 * How far ahead slots are given out. A call that comes after them waits so much longer; a claim that is committed so much
 * later than the one before it began loses none.
 */
export const HORIZON_MS = 400;
/** A slot further off was given out before the clock was set back: it binds nobody. Paces are a call a minute and faster. */
const FARTHEST_MS = 60_000 + HORIZON_MS;

/**
 * Between two calls: two in a hundred more than the rate says. So as many calls as make a second's, and two more, lie
 * 1020 ms and an interval apart: only if the first is that much later than the last, less a second, are all in one.
 */
const intervalMs = (callsPerSecond: number): number => 1020 / callsPerSecond;
/** What a call that lost its slot is given at least, to be in time for the next: as long as a slow commit takes. */
const LEAD_MS = 100;
/** Paces that are faster than a call in so many milliseconds do not mind a few that come together. */
const STRICT_FROM_MS = 10;

/**
 * Until when a call with this slot may be dialled; null for any time. Too late it would come together with others, so
 * that there were too many in a second; the quarter of an interval and the 20 ms that are left are for the way to the
 * peer. Behind a slot that was free at once there is nobody to come together with.
 */
export const latestOf = (paces: readonly Pace[], slot: number, now: number): number | null => {
  const slowest = Math.min(...paces.map(({ callsPerSecond }) => callsPerSecond ?? Number.POSITIVE_INFINITY));
  const apartMs = intervalMs(slowest);
  return slot <= now || apartMs < STRICT_FROM_MS ? null : slot + apartMs * 0.75;
};

/** The slot of a call that has lost its own, however far off. */
export const laterSlotOf = (paces: readonly Pace[], now: number): number =>
  Math.max(now + LEAD_MS, ...paces.map((pace) => believed(pace, now)));

/** The first slot that all of `paces` have free, or null if it is further off than the horizon. */
export const slotOf = (paces: readonly Pace[], now: number): number | null => {
  const slot = Math.max(now, ...paces.map((pace) => believed(pace, now)));
  return slot < now + HORIZON_MS ? slot : null;
};

/** The pace after a call at `slot`. */
export const advance = (pace: Pace, slot: number): Pace =>
  pace.callsPerSecond === null ? pace : { ...pace, nextAt: slot + intervalMs(pace.callsPerSecond) };

const believed = ({ callsPerSecond, nextAt }: Pace, now: number): number =>
  callsPerSecond === null || nextAt > now + FARTHEST_MS ? now : nextAt;
