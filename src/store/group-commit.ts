import { AppError } from '../domain/app-error.ts';
import type { EndedCommit } from '../domain/metrics.ts';

/** The transaction of a batch and the savepoint of each unit, as a database has them. Every verb may throw. */
export interface CommitSession {
  begin(): void;
  commit(): void;
  rollback(): void;
  startUnit(): void;
  keepUnit(): void;
  undoUnit(): void;
  /** False once the database has given the transaction up by itself. */
  isOpen(): boolean;
  /** Turns errors of the database into AppErrors. */
  explain(error: unknown): unknown;
}

export interface GroupCommitLimits {
  /** Units of one commit. */
  readonly maxBatch: number;
  /** Units that wait for their batch; above it they are refused with `store_unavailable`. */
  readonly maxQueued: number;
}

export const LIMITS: GroupCommitLimits = { maxBatch: 256, maxQueued: 10_000 };

export interface GroupCommit {
  /** Runs `work` in its turn; settles when it is durable, or rolled back. */
  submit<T>(work: () => Promise<T>): Promise<T>;
  /** Refuses new work and resolves when all that was submitted has settled. */
  drain(): Promise<void>;
}

interface Unit {
  readonly work: () => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Many units of work, one commit. Units that arrive while a batch runs, or in the same turn of the event loop, form
 * the next batch; they run one after another in one transaction, each under a savepoint of its own. A unit that throws
 * is undone alone. Nobody is told anything, not even of a refusal, before the batch is committed: what a unit has read
 * may be the work of another one in the batch. If the commit fails, all of the batch fail with it.
 */
export const createGroupCommit = (
  session: CommitSession,
  limits: GroupCommitLimits = LIMITS,
  noteCommit: (commit: EndedCommit) => void = () => undefined,
): GroupCommit => {
  let queue: Unit[] = [];
  let scheduled = false;
  let draining = false;
  let onIdle = (): void => {};

  const schedule = (): void => {
    if (scheduled) return;
    scheduled = true;
    setImmediate(() => void runNext());
  };

  const runNext = async (): Promise<void> => {
    const batch = queue.slice(0, limits.maxBatch);
    queue = queue.slice(limits.maxBatch);
    const begunAtMs = performance.now();
    const { isCommitted, tell } = await runBatch(session, batch);
    noteCommit({ units: batch.length, durationMs: performance.now() - begunAtMs, isCommitted });
    tell();
    scheduled = false;
    if (queue.length > 0) schedule();
    else onIdle();
  };

  return {
    submit<T>(work: () => Promise<T>): Promise<T> {
      if (draining) return Promise.reject(new AppError('store_unavailable', 'The store is closing.'));
      if (queue.length >= limits.maxQueued)
        return Promise.reject(new AppError('store_unavailable', 'The store has too much to do. Try again later.'));
      return new Promise<T>((resolve, reject) => {
        queue.push({ work, resolve: resolve as (value: unknown) => void, reject });
        schedule();
      });
    },
    async drain() {
      draining = true;
      if (!scheduled) return;
      await new Promise<void>((resolve) => {
        onIdle = resolve;
      });
    },
  };
};

/** Runs a batch in one transaction; `tell` settles its units. */
const runBatch = async (
  session: CommitSession,
  batch: readonly Unit[],
): Promise<{ readonly isCommitted: boolean; readonly tell: () => void }> => {
  const verdicts: (() => void)[] = [];
  try {
    session.begin();
    for (const unit of batch) verdicts.push(await runUnit(session, unit));
    session.commit();
  } catch (error) {
    return { isCommitted: false, tell: () => abandon(session, batch, error) };
  }
  return {
    isCommitted: true,
    tell: () => {
      for (const tell of verdicts) tell();
    },
  };
};

/** Runs one unit under its savepoint; the answer tells its caller. Throws if the whole transaction is lost. */
const runUnit = async (session: CommitSession, unit: Unit): Promise<() => void> => {
  session.startUnit();
  try {
    const value = await unit.work();
    session.keepUnit();
    return () => unit.resolve(value);
  } catch (error) {
    if (!session.isOpen()) throw error;
    session.undoUnit();
    const reason = session.explain(error);
    return () => unit.reject(reason);
  }
};

const abandon = (session: CommitSession, batch: readonly Unit[], error: unknown): void => {
  let reason = session.explain(error);
  try {
    session.rollback();
  } catch (rollbackError) {
    reason = session.explain(rollbackError);
  }
  for (const unit of batch) unit.reject(reason);
};
