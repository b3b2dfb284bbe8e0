import type { Log, WakeAfter } from '../domain/ports.ts';
import type { Store } from '../domain/store-port.ts';

export interface ReleaseGrant {
  /** Opens the grant again after a failed upload; `failed` counts the try. Never throws. */
  release(ref: number, failed: boolean): Promise<void>;
  /** Gives up what is still to be released: the next start does it. */
  close(): void;
}

const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 60_000;
/** With the delays above about an hour. */
const MAX_RETRIES = 65;

const delayMs = (retry: number): number => Math.min(FIRST_DELAY_MS * 2 ** retry, LONGEST_DELAY_MS);

/**
 * Opens grants again, and keeps trying in the background while the store is away, so that a grant does not stay
 * claimed until the next start. At most as many wait as uploads were in progress when the store went: without it
 * none is claimed.
 */
export const createReleaseGrant = (options: { store: Store; log: Log; wakeAfter: WakeAfter }): ReleaseGrant => {
  const { store, log, wakeAfter } = options;
  const waiting = new Set<() => void>();
  let closed = false;

  const retryLater = (ref: number, failed: boolean, retry: number): void => {
    const cancel = wakeAfter(delayMs(retry), () => {
      waiting.delete(cancel);
      void attempt(ref, failed, retry + 1);
    });
    waiting.add(cancel);
  };

  const attempt = async (ref: number, failed: boolean, retry: number): Promise<void> => {
    try {
      await store.transact((tx) => tx.releaseGrant(ref, failed));
    } catch (error) {
      const givesUp = closed || retry === MAX_RETRIES;
      // The sender is told why the upload failed, not this.
      if (givesUp) log.error({ err: error, grant: ref }, 'grant of a failed upload stays claimed until the next start');
      else retryLater(ref, failed, retry);
    }
  };

  return {
    release: (ref, failed) => attempt(ref, failed, 0),
    close() {
      closed = true;
      for (const cancel of waiting) cancel();
      waiting.clear();
    },
  };
};
