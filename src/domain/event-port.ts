import type { Event } from './event.ts';
import type { Delivery, DeliveryFate, DeliveryResult, Webhook } from './webhook.ts';

/** How far the events of the database go. */
export interface EventRange {
  /** Id of the last event published, 0 if there was none. */
  readonly lastId: string;
  /** Id of the newest event that is no longer kept, 0 if there is none. */
  readonly sweptId: string;
  /** Whether facts are committed that wait for being published. */
  readonly isPending: boolean;
}

export interface EventViews {
  readEventRange(): Promise<EventRange>;
  /** Published events of the application, null for all, after that id, in order. */
  listEvents(applicationId: string | null, afterId: string, limit: number): Promise<readonly Event[]>;
  findWebhook(id: string, applicationId: string): Promise<Webhook | null>;
  /** All of an application, newest first: at most `MAX_WEBHOOKS`. */
  listWebhooks(applicationId: string): Promise<readonly Webhook[]>;
  /** Endpoints for which a delivery is due. */
  listDueWebhookIds(limit: number): Promise<readonly string[]>;
  /** When the oldest event that is not delivered was queued, null if there is none. */
  oldestUndeliveredAt(): Promise<number | null>;
}

export type WebhookChanges = Pick<Webhook, 'url' | 'types'> & { readonly isDisabled: boolean };

export interface ReplayRequest {
  readonly webhookId: string;
  readonly applicationId: string;
  /** Events that happened at or after it, and came after that id. */
  readonly sinceAt: number;
  readonly afterId: string;
  readonly limit: number;
}

export interface EventVerbs {
  /**
   * Gives ids to facts committed before, in an order that readers can follow without missing one, and queues them for
   * the endpoints that want them; how many. At most 500, one caller at a time.
   */
  publishEvents(): Promise<number>;
  /** A key that the callee of an attempt in progress pressed. */
  recordDigit(attemptId: string, digit: string, agoMs?: number): Promise<void>;
  /** A state that differs from the last one noted is an event for every application that may call over the trunk. */
  noteTrunkState(trunkId: string, state: 'up' | 'down'): Promise<void>;
  /** Drops up to 2,000 events that are too old or too many, with their deliveries; how many. */
  sweepEvents(): Promise<number>;

  /** Throws `too_many` beyond `MAX_WEBHOOKS` and `not_found` for an unknown application. */
  createWebhook(applicationId: string, webhook: WebhookChanges & { readonly secret: string }): Promise<string>;
  /** Disabling drops what is queued. */
  replaceWebhook(id: string, applicationId: string, changes: WebhookChanges): Promise<boolean>;
  deleteWebhook(id: string, applicationId: string): Promise<boolean>;
  /** The old secret goes on signing for `OLD_SECRET_SIGNS_MS`. */
  rotateWebhook(id: string, applicationId: string, secret: string): Promise<boolean>;
  /** Queues events once more; the id of the last one looked at if there may be more, else null, and how many. */
  replayEvents(request: ReplayRequest): Promise<{ readonly queued: number; readonly nextId: string | null }>;

  /** Claims what is due for an endpoint, in order for each call; nobody else gets it for `CLAIM_MS`. */
  claimDeliveries(webhookId: string, limit: number): Promise<readonly Delivery[]>;
  /** What became of the delivery; an endpoint is disabled by it if it is gone or has failed for too long. */
  endDelivery(delivery: Delivery, result: DeliveryResult): Promise<DeliveryFate>;
}
