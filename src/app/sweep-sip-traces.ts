import type { Log, WakeAfter } from '../domain/ports.ts';
import type { TraceLimits } from '../domain/sip-trace.ts';
import type { Store } from '../domain/store-port.ts';

const SWEEP_EVERY_MS = 60_000;
/** So few that calls do not wait for it. */
const AT_MOST = 500;

/** Drops SIP messages of calls that are too old or too many, within a minute. The answer stops it. */
export const startSipTraceSweep = (
  options: Omit<TraceLimits, 'atMost'> & { readonly store: Store; readonly wakeAfter: WakeAfter; readonly log: Log },
): (() => void) => {
  const { store, wakeAfter, log, keepForMs, maxBytes } = options;
  let stopped = false;
  let cancel = (): void => {};

  const sweep = async (): Promise<void> => {
    const limits = { keepForMs, maxBytes, atMost: AT_MOST };
    try {
      while (!stopped && (await store.transact((tx) => tx.dropOldSipMessages(limits))) === AT_MOST);
    } catch (error) {
      log.warn({ err: error }, 'SIP messages not swept, next try in a minute');
    }
  };
  const next = (): void => {
    cancel = wakeAfter(SWEEP_EVERY_MS, () => void sweep().then(() => stopped || next()));
  };
  next();
  return () => {
    stopped = true;
    cancel();
  };
};
