import type { Metrics } from '../domain/metrics.ts';
import type { Log, RandomSource, SendWebhook, WakeAfter, WebhookAnswer } from '../domain/ports.ts';
import type { Store } from '../domain/store-port.ts';
import { type Delivery, type DeliveryFate, type DeliveryResult, retryDelayMs } from '../domain/webhook.ts';

export interface DeliverWebhooksOptions {
  readonly store: Store;
  readonly send: SendWebhook;
  readonly random: RandomSource;
  readonly wakeAfter: WakeAfter;
  readonly metrics: Pick<Metrics, 'noteDelivery'>;
  readonly log: Log;
}

export interface DeliverWebhooks {
  start(): void;
  /** Something may be due. */
  wake(): void;
  /** Cuts off what is on its way: it is tried again, by whoever is there then. */
  stop(): Promise<void>;
}

const POLL_MS = 1000;
const AT_ONCE = 64;
const AT_ONCE_PER_ENDPOINT = 8;
/** Endpoints that one look takes into account. */
const MAX_ENDPOINTS = 1000;

/** Posts what is queued to the endpoints: claimed in the database, so that of several nodes one does it. */
export const createDeliverWebhooks = (options: DeliverWebhooksOptions): DeliverWebhooks => {
  const { store, wakeAfter, log } = options;
  const cancel = new AbortController();
  const inFlight = new Map<string, Set<Promise<void>>>();
  let turning: Promise<void> | null = null;
  let wakeAgain = false;
  let cancelTimer = (): void => {};

  const countOf = (webhookId: string): number => inFlight.get(webhookId)?.size ?? 0;
  const total = (): number => [...inFlight.values()].reduce((sum, { size }) => sum + size, 0);

  const wake = (): void => {
    if (cancel.signal.aborted) return;
    if (turning) wakeAgain = true;
    else turn();
  };

  const turn = (): void => {
    cancelTimer();
    wakeAgain = false;
    turning = claimDue()
      .catch((error: unknown) => log.warn({ err: error }, 'webhooks could not be claimed, next try in a second'))
      .finally(() => {
        turning = null;
        if (wakeAgain) wake();
        else if (!cancel.signal.aborted) cancelTimer = wakeAfter(POLL_MS, wake);
      });
  };

  const claimDue = async (): Promise<void> => {
    if (total() >= AT_ONCE) return;
    for (const webhookId of await store.view((views) => views.listDueWebhookIds(MAX_ENDPOINTS))) {
      const room = Math.min(AT_ONCE_PER_ENDPOINT - countOf(webhookId), AT_ONCE - total());
      if (room <= 0) continue;
      for (const delivery of await store.transact((tx) => tx.claimDeliveries(webhookId, room))) begin(delivery);
    }
  };

  const begin = (delivery: Delivery): void => {
    const { webhookId } = delivery;
    const ofEndpoint = inFlight.get(webhookId) ?? new Set();
    inFlight.set(webhookId, ofEndpoint);
    const delivering = deliver(options, delivery, cancel.signal).finally(() => {
      ofEndpoint.delete(delivering);
      if (ofEndpoint.size === 0) inFlight.delete(webhookId);
      wake();
    });
    ofEndpoint.add(delivering);
  };

  return {
    start: wake,
    wake,
    async stop() {
      cancel.abort();
      cancelTimer();
      await turning;
      await Promise.all([...inFlight.values()].flatMap((ofEndpoint) => [...ofEndpoint]));
    },
  };
};

/** Never rejects: what cannot be noted is delivered again when its claim has ended, under the same id. */
const deliver = async (options: DeliverWebhooksOptions, delivery: Delivery, cancel: AbortSignal): Promise<void> => {
  const { store, send, random, metrics, log } = options;
  const answer = await send(delivery, cancel);
  const isDelivered = answer.kind === 'answered' && answer.status >= 200 && answer.status < 300;
  metrics.noteDelivery(isDelivered ? 'delivered' : answer.kind === 'answered' ? 'rejected' : answer.kind);
  const result: DeliveryResult = isDelivered
    ? { kind: 'delivered' }
    : { kind: 'failed', isGone: isGone(answer), retryAfterMs: retryDelayMs(delivery.attempt, jitterOf(random)) };
  try {
    tell(log, delivery, answer, await store.transact((tx) => tx.endDelivery(delivery, result)));
  } catch (error) {
    log.warn({ err: error, webhookId: delivery.webhookId }, 'the end of a delivery was not recorded');
  }
};

const isGone = (answer: WebhookAnswer): boolean => answer.kind === 'answered' && answer.status === 410;

const jitterOf = (random: RandomSource): number => Number(random.digits(3)) / 1000;

/** The URL is left out: it may hold a secret. */
const tell = (log: Log, delivery: Delivery, answer: WebhookAnswer, fate: DeliveryFate): void => {
  const { webhookId, event, attempt } = delivery;
  const fields = { webhookId, eventId: event.id, attempt, ...answer };
  if (fate === 'disabled') log.error(fields, 'webhook disabled: it is gone, or has failed for three days');
  else if (fate === 'given_up') log.warn(fields, 'event not delivered for three days and given up');
  else if (fate === 'again') log.info(fields, 'webhook failed, and is tried again');
  else log.debug(fields, 'webhook delivered');
};
