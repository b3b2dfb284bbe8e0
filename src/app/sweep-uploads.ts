import type { Log, WakeAfter } from '../domain/ports.ts';
import type { Store } from '../domain/store-port.ts';

const SWEEP_EVERY_MS = 60_000;

/** Drops the parts of uploads whose grant has ended, within a minute of its end. The answer stops it. */
export const startUploadSweep = (options: {
  readonly store: Store;
  readonly wakeAfter: WakeAfter;
  readonly log: Log;
}): (() => void) => {
  const sweep = async (): Promise<void> => {
    try {
      const dropped = await options.store.transact((tx) => tx.dropDeadPartialUploads());
      if (dropped > 0) options.log.info({ dropped }, 'partial uploads of ended grants dropped');
    } catch (error) {
      options.log.warn({ err: error }, 'partial uploads not swept, next try in a minute');
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
