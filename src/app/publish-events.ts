import type { Log, WakeAfter } from '../domain/ports.ts';
import type { Store } from '../domain/store-port.ts';

/** Publishes events that are committed, and tells those who wait for new ones. */
export interface EventFeed {
  start(): void;
  /** Something was committed here: there may be an event. */
  wake(): void;
  /** Called after events were published, here or by another node; the answer ends it. */
  subscribe(listener: () => void): () => void;
  stop(): Promise<void>;
}

export interface EventFeedOptions {
  readonly store: Store;
  readonly wakeAfter: WakeAfter;
  readonly log: Log;
}

/** What other nodes publish is seen this soon. */
const POLL_MS = 1000;
/** Commits that come within this time are published together. */
const GATHER_MS = 20;

export const createEventFeed = ({ store, wakeAfter, log }: EventFeedOptions): EventFeed => {
  const listeners = new Set<() => void>();
  let lastId = '';
  let turning: Promise<void> | null = null;
  let wakeAgain = false;
  let stopped = false;
  let isHurried = false;
  let cancelTimer = (): void => {};

  const plan = (delayMs: number): void => {
    cancelTimer();
    isHurried = delayMs < POLL_MS;
    if (!stopped) cancelTimer = wakeAfter(delayMs, turn);
  };

  const turn = (): void => {
    wakeAgain = false;
    turning = publish(store)
      .then((newest) => {
        if (newest === lastId) return;
        lastId = newest;
        for (const listener of listeners) listener();
      })
      .catch((error: unknown) => log.warn({ err: error }, 'events could not be published, next try in a second'))
      .finally(() => {
        turning = null;
        plan(wakeAgain ? GATHER_MS : POLL_MS);
      });
  };

  return {
    start: () => plan(0),
    wake() {
      if (turning) wakeAgain = true;
      else if (!isHurried) plan(GATHER_MS);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async stop() {
      stopped = true;
      cancelTimer();
      await turning;
    },
  };
};

/** Publishes all there is; the id of the last event. */
const publish = async (store: Store): Promise<string> => {
  for (;;) {
    const { lastId, isPending } = await store.view((views) => views.readEventRange());
    if (!isPending) return lastId;
    await store.transact((tx) => tx.publishEvents());
  }
};

/** The store, which tells `onCommit` after each commit. */
export const tellingCommits = (store: Store, onCommit: () => void): Store => ({
  ...store,
  async transact(work) {
    const value = await store.transact(work);
    onCommit();
    return value;
  },
});
