import { type RawBuilder, sql } from 'kysely';
import type { Context } from './context.ts';
import { padded } from './padded.ts';

/** Whether an earlier event of the same call waits for the same endpoint: events of no call wait for none. */
const HAS_EARLIER = sql<boolean>`exists (select 1 from webhook_deliveries as earlier
  where earlier.webhook_id = webhook_deliveries.webhook_id and earlier.call_id = webhook_deliveries.call_id
    and earlier.position < webhook_deliveries.position)`;

/** Endpoints that want the type of the event beside them. */
const WANTED = sql`webhooks.disabled_reason is null
  and (webhooks.types is null or webhooks.types like '%"' || events.type || '"%')`;

/** Events just published, and whose they are. */
interface Published {
  readonly applicationIds: readonly string[];
  /** Position before the first, and of the last. */
  readonly after: number;
  readonly upTo: number;
}

/**
 * Queues events for the endpoints that want them. The endpoints are held meanwhile: a delivery that ends lets the next
 * one of its call go, and must not miss one that is being queued.
 */
export const queueDeliveries = async (context: Context, { applicationIds, after, upTo }: Published): Promise<void> => {
  const { db, locks } = context;
  const endpoints = db.selectFrom('webhooks').select('id').where('disabled_reason', 'is', null);
  const held = locks.own(endpoints.where('application_id', 'in', padded(applicationIds)).orderBy('seq'), 'webhooks');
  const ids = (await held.execute()).map(({ id }) => id);
  if (ids.length === 0) return;
  const isNew = sql`events.position > ${after} and events.position <= ${upTo}`;
  await insertDeliveries(context, sql`webhooks.id in (${sql.join(padded(ids))}) and ${isNew} and ${WANTED}`);
  await sql`update webhook_deliveries set next_at = ${await context.nowMs()}
    where next_at is null and position > ${after} and not ${HAS_EARLIER}`.execute(db);
};

/** Queues again what `which` events this endpoint wants and are not in the queue; how many. Its row must be held. */
export const requeueDeliveries = async (
  context: Context,
  webhookId: string,
  which: RawBuilder<unknown>,
): Promise<number> => {
  const queued = await insertDeliveries(context, sql`webhooks.id = ${webhookId} and ${which} and ${WANTED}`);
  await sql`update webhook_deliveries set next_at = case when ${HAS_EARLIER} then null
    else coalesce(next_at, ${await context.nowMs()}) end where webhook_id = ${webhookId}`.execute(context.db);
  return queued;
};

const insertDeliveries = async ({ db, nowMs }: Context, which: RawBuilder<unknown>): Promise<number> => {
  const { numAffectedRows } = await sql`
    insert into webhook_deliveries (position, webhook_id, event_seq, call_id, attempts, queued_at)
    select events.position, webhooks.id, events.seq, events.call_id, 0, cast(${await nowMs()} as bigint)
    from events join webhooks on webhooks.application_id = events.application_id
    where ${which} on conflict do nothing`.execute(db);
  return Number(numAffectedRows ?? 0);
};

/** Lets the first delivery that the endpoint still has of this call go. Its row must be held. */
export const releaseNext = async (context: Context, webhookId: string, callId: string): Promise<void> => {
  await sql`update webhook_deliveries set next_at = ${await context.nowMs()}
    where next_at is null and webhook_id = ${webhookId} and call_id = ${callId} and not ${HAS_EARLIER}`.execute(
    context.db,
  );
};
