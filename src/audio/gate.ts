import { AppError } from '../domain/app-error.ts';

/** Lets a few jobs run at once; others wait in order, up to a bound, beyond which they are refused. */
export type Gate = <T>(job: () => Promise<T>) => Promise<T>;

/** Jobs beyond `running` and `waiting` are refused with `ingest_busy`. */
export const createGate = (bounds: { running: number; waiting: number }): Gate => {
  const queue: (() => void)[] = [];
  let running = 0;

  const enter = (): Promise<void> | undefined => {
    if (running < bounds.running) {
      running++;
      return undefined;
    }
    if (queue.length >= bounds.waiting) {
      throw new AppError('ingest_busy', 'Too many uploads are being decoded right now; try again in a minute.');
    }
    return new Promise((resolve) => queue.push(resolve));
  };

  /** Hands the place to the next in the queue, so that nobody slips in between. */
  const leave = (): void => {
    const next = queue.shift();
    if (next) next();
    else running--;
  };

  return async (job) => {
    await enter();
    try {
      return await job();
    } finally {
      leave();
    }
  };
};
