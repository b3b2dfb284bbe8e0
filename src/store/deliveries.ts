import type { EventVerbs, EventViews } from '../domain/event-port.ts';
import {
  CLAIM_MS,
  type Delivery,
  type DeliveryFate,
  type DeliveryResult,
  type DisabledReason,
  GIVE_UP_AFTER_MS,
} from '../domain/webhook.ts';
import type { Context } from './context.ts';
import { releaseNext } from './delivery-queue.ts';
import { EVENT_COLUMNS, eventOf, newEvent } from './event-rows.ts';
import { secretsOf } from './webhook-secrets.ts';

export const deliveryViews = ({
  db,
  nowMs,
}: Context): Pick<EventViews, 'listDueWebhookIds' | 'oldestUndeliveredAt'> => ({
  async listDueWebhookIds(limit) {
    const now = await nowMs();
    const rows = await db
      .selectFrom('webhooks')
      .select('id')
      .where('disabled_reason', 'is', null)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('webhook_deliveries')
            .select('position')
            .whereRef('webhook_id', '=', 'webhooks.id')
            .where('next_at', '<=', now),
        ),
      )
      .limit(limit)
      .execute();
    return rows.map(({ id }) => id);
  },
  async oldestUndeliveredAt() {
    const oldest = db.selectFrom('webhook_deliveries').select('queued_at').orderBy('position').limit(1);
    return (await oldest.executeTakeFirst())?.queued_at ?? null;
  },
});

export const deliveryVerbs = (context: Context): Pick<EventVerbs, 'claimDeliveries' | 'endDelivery'> => ({
  claimDeliveries: (webhookId, limit) => claimDeliveries(context, webhookId, limit),
  endDelivery: (delivery, result) => endDelivery(context, delivery, result),
});

const claimDeliveries = async (context: Context, webhookId: string, limit: number): Promise<readonly Delivery[]> => {
  const { db, locks } = context;
  const now = await context.nowMs();
  const due = db
    .selectFrom('webhook_deliveries')
    .innerJoin('events', 'events.seq', 'webhook_deliveries.event_seq')
    .innerJoin('webhooks', 'webhooks.id', 'webhook_deliveries.webhook_id')
    .select(EVENT_COLUMNS)
    .select(['attempts', 'url', 'secret', 'previous_secret', 'previous_until'])
    .where('webhook_deliveries.webhook_id', '=', webhookId)
    .where('next_at', '<=', now)
    .where('disabled_reason', 'is', null)
    .orderBy('next_at')
    .orderBy('webhook_deliveries.position')
    .limit(limit);
  const claimed: Delivery[] = [];
  for (const row of await locks.ownFree(due, 'webhook_deliveries').execute()) {
    const delivery = {
      webhookId,
      url: row.url,
      secrets: secretsOf(context, webhookId, row, now),
      event: eventOf(row),
      attempt: row.attempts + 1,
      claimedAt: now,
    };
    await updateDelivery(context, delivery, { attempts: delivery.attempt, next_at: now + CLAIM_MS });
    claimed.push(delivery);
  }
  return claimed;
};

const updateDelivery = async (
  { db }: Context,
  { webhookId, event }: Delivery,
  values: { attempts?: number; next_at: number },
): Promise<void> => {
  await db
    .updateTable('webhook_deliveries')
    .set(values)
    .where('position', '=', Number(event.id))
    .where('webhook_id', '=', webhookId)
    .execute();
};

/** An endpoint, held until the commit, and since when the delivery has been queued for it. */
interface Ending {
  readonly applicationId: string;
  readonly failingSince: number | null;
  readonly queuedAt: number;
}

const endDelivery = async (context: Context, delivery: Delivery, result: DeliveryResult): Promise<DeliveryFate> => {
  const ending = await findEnding(context, delivery);
  if (!ending) return 'done';
  if (result.kind === 'failed') return failDelivery(context, delivery, result, ending);
  if (ending.failingSince !== null) await noteFailing(context, delivery.webhookId, null);
  await dropDelivery(context, delivery);
  return 'done';
};

/** Null if the endpoint is gone, or the delivery with what was queued. */
const findEnding = async ({ db, locks }: Context, { webhookId, event }: Delivery): Promise<Ending | null> => {
  const row = db.selectFrom('webhooks').select(['application_id', 'failing_since']).where('id', '=', webhookId);
  const webhook = await locks.own(row, 'webhooks').executeTakeFirst();
  const queued = await db
    .selectFrom('webhook_deliveries')
    .select('queued_at')
    .where('position', '=', Number(event.id))
    .where('webhook_id', '=', webhookId)
    .executeTakeFirst();
  if (!webhook || !queued) return null;
  return { applicationId: webhook.application_id, failingSince: webhook.failing_since, queuedAt: queued.queued_at };
};

const failDelivery = async (
  context: Context,
  delivery: Delivery,
  { isGone, retryAfterMs }: Extract<DeliveryResult, { kind: 'failed' }>,
  { applicationId, failingSince, queuedAt }: Ending,
): Promise<DeliveryFate> => {
  const { webhookId } = delivery;
  const now = await context.nowMs();
  const hasFailedLong = failingSince !== null && now - failingSince >= GIVE_UP_AFTER_MS;
  if (isGone || hasFailedLong) return giveUpEndpoint(context, applicationId, webhookId, isGone ? 'gone' : 'failing');
  if (failingSince === null) await noteFailing(context, webhookId, now);
  const dueAt = now + retryAfterMs;
  if (dueAt - queuedAt > GIVE_UP_AFTER_MS) {
    await dropDelivery(context, delivery);
    return 'given_up';
  }
  await updateDelivery(context, delivery, { next_at: dueAt });
  return 'again';
};

const noteFailing = async ({ db }: Context, webhookId: string, failing_since: number | null): Promise<void> => {
  await db.updateTable('webhooks').set({ failing_since }).where('id', '=', webhookId).execute();
};

/** The delivery is over; the next event of its call may go. */
const dropDelivery = async (context: Context, { webhookId, event }: Delivery): Promise<void> => {
  await context.db
    .deleteFrom('webhook_deliveries')
    .where('position', '=', Number(event.id))
    .where('webhook_id', '=', webhookId)
    .execute();
  if (event.callId !== null) await releaseNext(context, webhookId, event.callId);
};

/** Disables an endpoint and drops its queue; the application's stream and other endpoints are told. */
const giveUpEndpoint = async (
  { db, nowMs }: Context,
  application_id: string,
  webhook_id: string,
  disabled_reason: DisabledReason,
): Promise<DeliveryFate> => {
  await db.updateTable('webhooks').set({ disabled_reason }).where('id', '=', webhook_id).execute();
  await db.deleteFrom('webhook_deliveries').where('webhook_id', '=', webhook_id).execute();
  const fact = { application_id, type: 'webhook.disabled', at: await nowMs(), webhook_id, detail: disabled_reason };
  await db.insertInto('events').values(newEvent(fact)).execute();
  return 'disabled';
};
