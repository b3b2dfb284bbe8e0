import type { AttemptResult } from '../domain/call.ts';
import type { Log, WakeAfter } from '../domain/ports.ts';
import type { Store } from '../domain/store-port.ts';

export interface RecordOutcomeOptions {
  readonly store: Store;
  readonly wakeAfter: WakeAfter;
  readonly log: Log;
}

export const STORE_RETRY_MS = 1000;

/** Commits how an attempt ended, tried until the store takes it; whether its call ended with it. */
export const recordOutcomeUntilTaken = async (
  { store, wakeAfter, log }: RecordOutcomeOptions,
  attemptId: string,
  result: AttemptResult,
): Promise<boolean> => {
  for (;;) {
    try {
      return await store.transact((tx) => tx.recordOutcome(attemptId, result));
    } catch (error) {
      log.error({ err: error, attemptId }, 'outcome not recorded yet');
      await new Promise<void>((resolve) => wakeAfter(STORE_RETRY_MS, resolve));
    }
  }
};
