import type { CallProgress } from '../domain/ports.ts';
import type { Transaction } from '../domain/store-port.ts';
import type { RecordOptions } from './record-outcome.ts';
import { isStoreFailure, storeRetry } from './store-failure.ts';

/**
 * Commits how far an attempt has come; tried again while the store is away, so that its call is known to be answered.
 * `happenedAtMs` is of the monotonic clock.
 */
export const recordProgress = async (
  { store, wakeAfter, monotonicMs, log }: RecordOptions,
  attemptId: string,
  progress: CallProgress,
  happenedAtMs: number,
): Promise<void> => {
  for (;;) {
    const agoMs = Math.round(monotonicMs() - happenedAtMs);
    try {
      return await store.transact((tx) => record(tx, attemptId, progress, agoMs));
    } catch (error) {
      log.warn({ err: error, attemptId }, 'progress of a call not recorded');
      if (!isStoreFailure(error)) return;
      await storeRetry(wakeAfter);
    }
  }
};

const record = (tx: Transaction, attemptId: string, progress: CallProgress, agoMs: number): Promise<void> => {
  if (progress.kind === 'ringing') return tx.recordRinging(attemptId, progress.dialog, agoMs);
  if (progress.kind === 'answered') return tx.recordAnswered(attemptId, progress.codec, progress.dialog, agoMs);
  return tx.recordDigit(attemptId, progress.digit, agoMs);
};
