import { setTimeout as delay } from 'node:timers/promises';
import type { Clients } from './clients.ts';

/** Blasts that have not been answered yet; at the bound the clients wait. A stopped node holds some for seconds. */
const MAX_UNANSWERED = 50;

const UPLOADS_AT_ONCE = 3;

/**
 * Blasts at a steady rate, and one upload after another of each of three uploaders, until `stop`, which resolves when
 * all are answered, and rejects if one was answered as it may not be.
 */
export const startLoad = (clients: Clients, blastsPerSecond: number): { stop(): Promise<void> } => {
  let stopped = false;
  const unanswered = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const noteFailure = (error: unknown): void => void failures.push(error);
  const post = (): void => {
    const posted: Promise<void> = clients
      .blast()
      .catch(noteFailure)
      .finally(() => unanswered.delete(posted));
    unanswered.add(posted);
  };
  const blasts = async (): Promise<void> => {
    while (!stopped) {
      if (unanswered.size < MAX_UNANSWERED) post();
      await delay(1000 / blastsPerSecond);
    }
    await Promise.all(unanswered);
  };
  const uploads = async (): Promise<void> => {
    while (!stopped) await clients.upload();
  };
  const all = [blasts(), ...Array.from({ length: UPLOADS_AT_ONCE }, () => uploads().catch(noteFailure))];
  return {
    async stop() {
      stopped = true;
      await Promise.all(all);
      if (failures.length > 0) throw failures[0];
    },
  };
};
