import type { Log, WakeAfter } from '../domain/ports.ts';
import type { TraceLimits } from '../domain/sip-trace.ts';
import type { Store } from '../domain/store-port.ts';
import { repeatSweep, SWEEP_EVERY_MS } from './repeat-sweep.ts';

/** So few that calls do not wait for it. */
const AT_MOST = 500;

/** Drops SIP messages of calls that are too old or too many, within a minute. The answer stops it. */
export const startSipTraceSweep = (
  options: Omit<TraceLimits, 'atMost'> & { readonly store: Store; readonly wakeAfter: WakeAfter; readonly log: Log },
): (() => void) => {
  const { store, wakeAfter, log, keepForMs, maxBytes } = options;
  const limits = { keepForMs, maxBytes, atMost: AT_MOST };
  return repeatSweep(wakeAfter, async (isStopped) => {
    try {
      while (!isStopped() && (await store.transact((tx) => tx.dropOldSipMessages(limits))) === AT_MOST);
    } catch (error) {
      log.warn({ err: error }, 'SIP messages not swept, next try in a minute');
    }
    return SWEEP_EVERY_MS;
  });
};
