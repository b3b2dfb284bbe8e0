/** A packet that leaves so late was late by more than the machine's own unrest. */
export const LATE_MS = 10;
/** More than one packet in a hundred late within a second is too much. */
const MAX_LATE_SHARE = 0.01;
/** What ten calls send in a second: with fewer, it is not the calls that the machine has too much of. */
const MIN_PACKETS = 500;
const WINDOW_MS = 1000;
/** Seconds without that until calls are taken again. */
const CALM_WINDOWS = 3;

/** Watches how late packets leave, in windows of a second. */
export interface Overload {
  note(lateMs: number): void;
  /** Whether there is too much to send, as of the last whole window. */
  isOverloaded(nowMs: number): boolean;
}

export const createOverload = (startMs: number): Overload => {
  let windowEndMs = startMs + WINDOW_MS;
  let packets = 0;
  let latePackets = 0;
  let calmWindows = CALM_WINDOWS;

  const closeWindow = (nowMs: number): void => {
    const isBad = packets >= MIN_PACKETS && latePackets > packets * MAX_LATE_SHARE;
    // Windows in which nobody looked had no packets either.
    const windows = 1 + Math.floor((nowMs - windowEndMs) / WINDOW_MS);
    calmWindows = isBad ? windows - 1 : calmWindows + windows;
    windowEndMs += windows * WINDOW_MS;
    packets = 0;
    latePackets = 0;
  };

  return {
    note(lateMs) {
      packets += 1;
      if (lateMs >= LATE_MS) latePackets += 1;
    },
    isOverloaded(nowMs) {
      if (nowMs >= windowEndMs) closeWindow(nowMs);
      return calmWindows < CALM_WINDOWS;
    },
  };
};
