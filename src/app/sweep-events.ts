import type { Log, WakeAfter } from '../domain/ports.ts';
import type { Store } from '../domain/store-port.ts';

const SWEEP_EVERY_MS = 60_000;
/** While there is more to drop, so that events cannot come faster than they go. */
const SWEEP_AGAIN_MS = 100;

/** Drops events past their time or number. The answer stops it. */
export const startEventSweep = (options: {
  readonly store: Store;
  readonly wakeAfter: WakeAfter;
  readonly log: Log;
}): (() => void) => {
  const { store, wakeAfter, log } = options;
  let stopped = false;
  let cancel = (): void => {};
  const sweep = async (): Promise<void> => {
    const dropped = await store
      .transact((tx) => tx.sweepEvents())
      .catch((error: unknown) => {
        log.warn({ err: error }, 'events not swept, next try in a minute');
        return 0;
      });
    if (!stopped) plan(dropped > 0 ? SWEEP_AGAIN_MS : SWEEP_EVERY_MS);
  };
  const plan = (delayMs: number): void => {
    cancel = wakeAfter(delayMs, () => void sweep());
  };
  plan(SWEEP_EVERY_MS);
  return () => {
    stopped = true;
    cancel();
  };
};
