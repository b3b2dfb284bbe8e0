import type { Log, WakeAfter } from '../domain/ports.ts';
import type { Store, Transaction } from '../domain/store-port.ts';
import { repeatSweep, SWEEP_EVERY_MS } from './repeat-sweep.ts';

/** Dropped in one sweep at most, so that it never holds up the commits of others. */
const CLIPS_AT_ONCE = 10;

/** What uploads leave behind, each with the words it is logged by; each is a transaction of its own. */
const STEPS: readonly (readonly [done: string, step: (tx: Transaction) => Promise<number>])[] = [
  ['partial uploads of ended grants dropped', (tx) => tx.dropDeadPartialUploads()],
  ['replaced clips dropped', (tx) => tx.dropReplacedClips(CLIPS_AT_ONCE)],
];

/** Drops what uploads left behind, every minute. The answer stops it. */
export const startUploadSweep = (options: {
  readonly store: Store;
  readonly wakeAfter: WakeAfter;
  readonly log: Log;
}): (() => void) =>
  repeatSweep(options.wakeAfter, async () => {
    try {
      for (const [done, step] of STEPS) {
        const count = await options.store.transact(step);
        if (count > 0) options.log.info({ count }, done);
      }
    } catch (error) {
      options.log.warn({ err: error }, 'uploads not swept, next try in a minute');
    }
    return SWEEP_EVERY_MS;
  });
