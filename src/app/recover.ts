import type { Metrics } from '../domain/metrics.ts';
import type { Log } from '../domain/ports.ts';
import type { Store } from '../domain/store-port.ts';

/**
 * Before anything is served: what a crash left open is given its end. An attempt that was committed may have been
 * answered, so its call ends `interrupted` and is never dialled again; calls that still waited are simply dialled.
 */
export const recover = async (store: Store, metrics: Pick<Metrics, 'noteEndedUndialled'>, log: Log): Promise<void> => {
  const interrupted = await store.transact(async (tx) => {
    await tx.sweep();
    return tx.interruptAttempts();
  });
  metrics.noteEndedUndialled('interrupted', interrupted);
  if (interrupted > 0) log.warn({ interrupted }, 'calls were in progress when the server last ended');
};
