import type { Log, WakeAfter } from '../domain/ports.ts';
import type { Store, Transaction } from '../domain/store-port.ts';

const SWEEP_EVERY_MS = 60_000;
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
}): (() => void) => {
  const sweep = async (): Promise<void> => {
    try {
      for (const [done, step] of STEPS) {
        const count = await options.store.transact(step);
        if (count > 0) options.log.info({ count }, done);
      }
    } catch (error) {
      options.log.warn({ err: error }, 'uploads not swept, next try in a minute');
    }
  };
  let cancel = (): void => {};
  const next = (): void => {
    cancel = options.wakeAfter(SWEEP_EVERY_MS, () => void sweep().then(() => stopped || next()));
  };
  let stopped = false;
  next();
  return () => {
    stopped = true;
    cancel();
  };
};
