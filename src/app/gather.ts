import { AppError } from '../domain/app-error.ts';
import type { Store } from '../domain/store-port.ts';
import { isStoreFailure } from './store-failure.ts';

/** Requests of one batch: what all of them write should stay a short transaction. */
const MAX_BATCH = 64;
/** Requests that wait for a batch; above it they are refused with `store_unavailable`. */
const MAX_WAITING = 10_000;

interface Waiter<Request, Answer> {
  readonly request: Request;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Batches that run at the same time. On PostgreSQL one is judged while the other waits for its commit; SQLite has this
 * thread wait, so that two would only be half as large and cost a commit each.
 */
export const batchesAtOnce = ({ isShared }: Pick<Store, 'isShared'>): number => (isShared ? 2 : 1);

/**
 * Joins requests that come one by one: those of the same turn of the event loop, or that come while `atOnce` batches
 * run, form the next batch. Requests of the same `group` (null for none) never share one. If the store fails a batch,
 * those that waited behind it are told so too, for they have waited long enough; if anything else fails it, each of its
 * requests is run alone.
 */
export const gather = <Request, Answer>(
  run: (requests: readonly Request[]) => Promise<readonly Answer[]>,
  groupOf: (request: Request) => string | null,
  atOnce: number,
): ((request: Request) => Promise<Answer>) => {
  let waiting: Waiter<Request, Answer>[] = [];
  let running = 0;
  let isScheduled = false;

  const schedule = (): void => {
    if (isScheduled || running === atOnce || waiting.length === 0) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      void runNext();
    });
  };

  const runNext = async (): Promise<void> => {
    const { batch, left } = takeBatch(waiting, groupOf);
    waiting = left;
    running += 1;
    schedule();
    await settle(batch);
    running -= 1;
    schedule();
  };

  const settle = async (batch: readonly Waiter<Request, Answer>[]): Promise<void> => {
    try {
      const answers = await run(batch.map(({ request }) => request));
      for (const [at, answer] of answers.entries()) batch[at]?.resolve(answer);
    } catch (error) {
      if (isStoreFailure(error)) refuse([...batch, ...waiting.splice(0)], error);
      else if (batch.length > 1) for (const waiter of batch) await settle([waiter]);
      else refuse(batch, error);
    }
  };

  return (request) => {
    if (waiting.length >= MAX_WAITING)
      return Promise.reject(
        new AppError('store_unavailable', 'Too many requests wait for the store. Try again later.'),
      );
    return new Promise((resolve, reject) => {
      waiting.push({ request, resolve, reject });
      schedule();
    });
  };
};

const refuse = <Request, Answer>(waiters: readonly Waiter<Request, Answer>[], error: unknown): void => {
  for (const { reject } of waiters) reject(error);
};

const takeBatch = <Request, Answer>(
  waiting: readonly Waiter<Request, Answer>[],
  groupOf: (request: Request) => string | null,
): { readonly batch: readonly Waiter<Request, Answer>[]; readonly left: Waiter<Request, Answer>[] } => {
  const batch: Waiter<Request, Answer>[] = [];
  const left: Waiter<Request, Answer>[] = [];
  const groups = new Set<string>();
  for (const waiter of waiting) {
    const group = groupOf(waiter.request);
    const fits = batch.length < MAX_BATCH && (group === null || !groups.has(group));
    if (fits && group !== null) groups.add(group);
    (fits ? batch : left).push(waiter);
  }
  return { batch, left };
};
