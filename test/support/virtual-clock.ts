import type { WakeAfter } from '../../src/domain/ports.ts';

/** Time that passes only when a test says so. */
export interface VirtualClock {
  readonly nowMs: number;
  readonly wakeAfter: WakeAfter;
  /** How many timers wait. */
  readonly waiting: number;
  /** Lets `ms` pass, timer by timer; what they set off is done before the next one fires. */
  advance(ms: number): Promise<void>;
  /** Lets time pass until no timer waits. Throws after `limitMs`: something then rings for ever. */
  runOut(limitMs?: number): Promise<void>;
}

interface Timer {
  readonly dueMs: number;
  readonly order: number;
  readonly wake: () => void;
}

/** Promises that are ready get their turn. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export const createVirtualClock = (): VirtualClock => {
  const timers = new Set<Timer>();
  let nowMs = 0;
  let order = 0;

  const earliest = (): Timer | null => {
    let first: Timer | null = null;
    for (const timer of timers) {
      if (!first || timer.dueMs < first.dueMs || (timer.dueMs === first.dueMs && timer.order < first.order))
        first = timer;
    }
    return first;
  };

  const runUntil = async (untilMs: number): Promise<void> => {
    await settle();
    for (let next = earliest(); next && next.dueMs <= untilMs; next = earliest()) {
      timers.delete(next);
      nowMs = next.dueMs;
      next.wake();
      await settle();
    }
  };

  return {
    get nowMs() {
      return nowMs;
    },
    get waiting() {
      return timers.size;
    },
    wakeAfter: (delayMs, wake) => {
      const timer: Timer = { dueMs: nowMs + Math.max(0, delayMs), order: order++, wake };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance: async (ms) => {
      const untilMs = nowMs + ms;
      await runUntil(untilMs);
      nowMs = untilMs;
    },
    runOut: async (limitMs = 3_600_000) => {
      await runUntil(nowMs + limitMs);
      if (timers.size > 0) throw new Error(`${timers.size} timers still wait after ${limitMs} ms of virtual time.`);
    },
  };
};
