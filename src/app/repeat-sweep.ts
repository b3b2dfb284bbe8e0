import type { WakeAfter } from '../domain/ports.ts';

export const SWEEP_EVERY_MS = 60_000;

/**
 * Sweeps in a minute, and after each sweep again in as many milliseconds as it answers. A sweep must not reject. The
 * answer stops it; a sweep in progress can see that.
 */
export const repeatSweep = (
  wakeAfter: WakeAfter,
  sweep: (isStopped: () => boolean) => Promise<number>,
): (() => void) => {
  let stopped = false;
  let cancel = (): void => {};
  const turn = async (): Promise<void> => {
    const delayMs = await sweep(() => stopped);
    if (!stopped) plan(delayMs);
  };
  const plan = (delayMs: number): void => {
    cancel = wakeAfter(delayMs, () => void turn());
  };
  plan(SWEEP_EVERY_MS);
  return () => {
    stopped = true;
    cancel();
  };
};
