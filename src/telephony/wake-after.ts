import type { WakeAfter } from '../domain/ports.ts';

/** Real time, by Node's timers, which run on the monotonic clock. Delays are below 2^31 milliseconds. */
export const wakeAfterRealTime: WakeAfter = (delayMs, wake) => {
  const timer = setTimeout(wake, delayMs);
  return () => clearTimeout(timer);
};
