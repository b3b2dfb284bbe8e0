import { createDeliverWebhooks } from './app/deliver-webhooks.ts';
import { createEventFeed, type EventFeed, tellingCommits } from './app/publish-events.ts';
import { startSweep } from './app/sweep.ts';
import { random, wakeAfter } from './clock.ts';
import type { Closers } from './closers.ts';
import type { Config } from './config.ts';
import type { Metrics } from './domain/metrics.ts';
import type { Log } from './domain/ports.ts';
import type { Store, Transaction } from './domain/store-port.ts';
import { createAddressGate } from './webhooks/address-gate.ts';
import { createSendWebhook } from './webhooks/send-webhook.ts';

/** Everything that tells applications what happened, wired. */
export interface Telling {
  /** The store to be used by all others: what is committed through it is published at once. */
  readonly store: Store;
  readonly events: EventFeed;
  start(): void;
}

export const openTelling = (
  { webhookAllow }: Config,
  { store, metrics, log, closers }: { store: Store; metrics: Metrics; log: Log; closers: Closers },
): Telling => {
  const events = createEventFeed({ store, wakeAfter, log });
  const send = createSendWebhook({ mayReach: createAddressGate(webhookAllow) });
  const deliveries = createDeliverWebhooks({ store, send, random, wakeAfter, metrics, log });
  events.subscribe(deliveries.wake);
  return {
    store: tellingCommits(store, events.wake),
    events,
    start() {
      closers.add('webhooks', () => deliveries.stop());
      closers.add('event feed', () => events.stop());
      const drop = (tx: Transaction): Promise<number> => tx.sweepEvents();
      closers.add('sweep of events', startSweep({ store, wakeAfter, log, what: 'events', drop }));
      events.start();
      deliveries.start();
    },
  };
};
