import { allSettled } from '../domain/all-settled.ts';
import type { AttemptResult } from '../domain/call.ts';
import type { Log, WakeAfter } from '../domain/ports.ts';
import type { Store, Transaction } from '../domain/store-port.ts';
import { batchesAtOnce, gather } from './gather.ts';
import { storeRetry } from './store-failure.ts';

export interface RecordOptions {
  readonly store: Store;
  readonly wakeAfter: WakeAfter;
  readonly monotonicMs: () => number;
  readonly log: Log;
}

/** How an attempt ended. */
interface Ending {
  readonly attemptId: string;
  readonly result: AttemptResult;
  /** By the monotonic clock. */
  readonly endedAtMs: number;
}

/** Commits an ending, tried until the store takes it; whether its call ended with it. */
export type RecordOutcome = (ending: Ending) => Promise<boolean>;

/**
 * Attempts that end together are committed together: each outcome holds the row of its blast until its commit, so that
 * one by one a large blast would end no more calls a second than the disk makes commits.
 */
export const createRecordOutcome = ({ store, wakeAfter, monotonicMs, log }: RecordOptions): RecordOutcome => {
  const record = gather(
    (endings: readonly Ending[]) => store.transact((tx) => recordAll(tx, endings, monotonicMs())),
    ({ attemptId }) => attemptId,
    batchesAtOnce(store),
  );
  return async (ending) => {
    for (;;) {
      try {
        return await record(ending);
      } catch (error) {
        log.error({ err: error, attemptId: ending.attemptId }, 'outcome not recorded yet');
        await storeRetry(wakeAfter);
      }
    }
  };
};

/** In the order of their ids, which begin with the blast's: units that hold several blasts do not wait crosswise. */
const recordAll = async (tx: Transaction, endings: readonly Ending[], nowMs: number): Promise<readonly boolean[]> => {
  const inOrder = endings.toSorted((a, b) => (a.attemptId < b.attemptId ? -1 : 1));
  const callEnded = await allSettled(
    inOrder.map(({ attemptId, result, endedAtMs }) =>
      tx.recordOutcome(attemptId, result, Math.round(nowMs - endedAtMs)),
    ),
  );
  const byId = new Map(inOrder.map(({ attemptId }, at) => [attemptId, callEnded[at] ?? false]));
  return endings.map(({ attemptId }) => byId.get(attemptId) ?? false);
};
