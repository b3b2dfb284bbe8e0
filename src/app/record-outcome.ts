import type { AttemptResult } from '../domain/call.ts';
import type { Log, WakeAfter } from '../domain/ports.ts';
import type { Store } from '../domain/store-port.ts';

export interface RecordOptions {
  readonly store: Store;
  readonly wakeAfter: WakeAfter;
  readonly monotonicMs: () => number;
  readonly log: Log;
}

export const STORE_RETRY_MS = 1000;

/**
 * Commits how an attempt ended, tried until the store takes it; whether its call ended with it. `endedAtMs` is of the
 * monotonic clock.
 */
export const recordOutcomeUntilTaken = async (
  { store, wakeAfter, monotonicMs, log }: RecordOptions,
  attemptId: string,
  result: AttemptResult,
  endedAtMs: number,
): Promise<boolean> => {
  for (;;) {
    const agoMs = Math.round(monotonicMs() - endedAtMs);
    try {
      return await store.transact((tx) => tx.recordOutcome(attemptId, result, agoMs));
    } catch (error) {
      log.error({ err: error, attemptId }, 'outcome not recorded yet');
      await new Promise<void>((resolve) => wakeAfter(STORE_RETRY_MS, resolve));
    }
  }
};
