import type { Log, WakeAfter } from '../domain/ports.ts';
import type { Store, Transaction } from '../domain/store-port.ts';
import { repeatSweep, SWEEP_EVERY_MS } from './repeat-sweep.ts';

/** While there is more to drop, so that what is old cannot come faster than it goes. */
const SWEEP_AGAIN_MS = 100;

/** Drops what is old, every minute, a part at a time: `drop` tells how much it dropped. The answer stops it. */
export const startSweep = (options: {
  readonly store: Store;
  readonly wakeAfter: WakeAfter;
  readonly log: Log;
  /** What is dropped, in words of the log. */
  readonly what: string;
  readonly drop: (tx: Transaction) => Promise<number>;
}): (() => void) => {
  const { store, wakeAfter, log, what, drop } = options;
  return repeatSweep(wakeAfter, async () => {
    const dropped = await store.transact(drop).catch((error: unknown) => {
      log.warn({ err: error }, `${what} not swept, next try in a minute`);
      return 0;
    });
    return dropped > 0 ? SWEEP_AGAIN_MS : SWEEP_EVERY_MS;
  });
};
