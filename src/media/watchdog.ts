import type { WakeAfter } from '../domain/ports.ts';

export interface WatchdogOptions {
  /** Changes while what is watched is alive. */
  readonly readBeat: () => number;
  readonly onHung: () => void;
  readonly nowMs: () => number;
  readonly wakeAfter: WakeAfter;
}

const LOOK_EVERY_MS = 1000;
/** Looks in a row that find the beat unchanged before it is taken for dead: some ten of its longest sleeps. */
const LOOKS = 5;

/**
 * Looks for a beat each second; five seconds without one are a hang, told once. A look that is itself late counts
 * nothing: then the machine stood still, and both sides with it. Returns what ends it.
 */
export const startWatchdog = ({ readBeat, onHung, nowMs, wakeAfter }: WatchdogOptions): (() => void) => {
  let lastBeat = readBeat();
  let missed = 0;
  let cancel = (): void => {};

  const look = (plannedMs: number): void => {
    const beat = readBeat();
    const wasPunctual = nowMs() - plannedMs < LOOK_EVERY_MS;
    if (beat !== lastBeat) missed = 0;
    else if (wasPunctual) missed += 1;
    lastBeat = beat;
    if (missed >= LOOKS) onHung();
    else watch();
  };
  const watch = (): void => {
    const plannedMs = nowMs() + LOOK_EVERY_MS;
    cancel = wakeAfter(LOOK_EVERY_MS, () => look(plannedMs));
  };
  watch();
  return () => cancel();
};
