/** Real time, by Node's timers, which run on the monotonic clock; the answer cancels. Delays are below 2^31 milliseconds. */
export const wakeAfterRealTime = (delayMs: number, wake: () => void): (() => void) => {
  const timer = setTimeout(wake, delayMs);
  return () => clearTimeout(timer);
};
