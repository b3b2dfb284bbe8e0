import { type Selectable, sql } from 'kysely';
import { AppError } from '../domain/app-error.ts';
import type { EventVerbs, EventViews, ReplayRequest, WebhookChanges } from '../domain/event-port.ts';
import { MAX_WEBHOOKS, OLD_SECRET_SIGNS_MS, type Webhook } from '../domain/webhook.ts';
import type { Context } from './context.ts';
import { requeueDeliveries } from './delivery-queue.ts';
import type { EventSchema } from './event-schema.ts';
import { insertUnderId, parseJson } from './rows.ts';
import { sealSecret } from './webhook-secrets.ts';

const webhookOf = (row: Selectable<EventSchema['webhooks']>): Webhook => ({
  id: row.id,
  applicationId: row.application_id,
  url: row.url,
  types: row.types === null ? null : parseJson(row.types),
  disabledReason: row.disabled_reason as Webhook['disabledReason'],
  failingSince: row.failing_since,
  previousSecretUntil: row.previous_until,
  createdAt: row.created_at,
});

export const webhookViews = ({ db }: Context): Pick<EventViews, 'findWebhook' | 'listWebhooks'> => ({
  async findWebhook(id, applicationId) {
    const all = db.selectFrom('webhooks').selectAll().where('id', '=', id);
    const row = await all.where('application_id', '=', applicationId).executeTakeFirst();
    return row ? webhookOf(row) : null;
  },
  async listWebhooks(applicationId) {
    const all = db.selectFrom('webhooks').selectAll().where('application_id', '=', applicationId);
    return (await all.orderBy('seq', 'desc').execute()).map(webhookOf);
  },
});

type Verbs = Pick<EventVerbs, 'createWebhook' | 'replaceWebhook' | 'deleteWebhook' | 'rotateWebhook' | 'replayEvents'>;

export const webhookVerbs = (context: Context): Verbs => ({
  createWebhook: (applicationId, webhook) => createWebhook(context, applicationId, webhook),
  replaceWebhook: (id, applicationId, changes) => replaceWebhook(context, id, applicationId, changes),
  async deleteWebhook(id, applicationId) {
    const { numDeletedRows } = await context.db
      .deleteFrom('webhooks')
      .where('id', '=', id)
      .where('application_id', '=', applicationId)
      .executeTakeFirst();
    return numDeletedRows > 0n;
  },
  rotateWebhook: (id, applicationId, secret) => rotateWebhook(context, id, applicationId, secret),
  replayEvents: (request) => replayEvents(context, request),
});

const createWebhook: (context: Context, ...rest: Parameters<EventVerbs['createWebhook']>) => Promise<string> = async (
  context,
  applicationId,
  webhook,
) => {
  const { db, locks } = context;
  // Held, so that two that are made at once are both counted.
  const application = locks.own(
    db.selectFrom('applications').select('id').where('id', '=', applicationId),
    'applications',
  );
  if (!(await application.executeTakeFirst())) throw new AppError('not_found', 'There is no such application.');
  const others = await db.selectFrom('webhooks').select('id').where('application_id', '=', applicationId).execute();
  if (others.length >= MAX_WEBHOOKS)
    throw new AppError('too_many', `An application has at most ${MAX_WEBHOOKS} webhooks. Delete one first.`);
  const created_at = await context.nowMs();
  return insertUnderId(context, 'webhook', null, async (id) => {
    const values = { ...valuesOf(webhook), secret: sealSecret(context, id, webhook.secret), created_at };
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('webhooks')
      .values({ id, application_id: applicationId, ...values })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  });
};

const valuesOf = ({ url, types, isDisabled }: WebhookChanges) => ({
  url,
  types: types && JSON.stringify(types),
  disabled_reason: isDisabled ? 'asked' : null,
  failing_since: null,
});

const replaceWebhook: (context: Context, ...rest: Parameters<EventVerbs['replaceWebhook']>) => Promise<boolean> =
  async ({ db }, id, applicationId, changes) => {
    const { numUpdatedRows } = await db
      .updateTable('webhooks')
      .set(valuesOf(changes))
      .where('id', '=', id)
      .where('application_id', '=', applicationId)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    if (changes.isDisabled) await db.deleteFrom('webhook_deliveries').where('webhook_id', '=', id).execute();
    return true;
  };

const rotateWebhook = async (context: Context, id: string, applicationId: string, secret: string): Promise<boolean> => {
  const previous_until = (await context.nowMs()) + OLD_SECRET_SIGNS_MS;
  const { numUpdatedRows } = await context.db
    .updateTable('webhooks')
    .set((eb) => ({ secret: sealSecret(context, id, secret), previous_secret: eb.ref('secret'), previous_until }))
    .where('id', '=', id)
    .where('application_id', '=', applicationId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
};

/** Looks at so many events as asked for, and queues those that the endpoint wants. */
const replayEvents = async (context: Context, request: ReplayRequest) => {
  const { db, locks } = context;
  const webhook = db.selectFrom('webhooks').select('id').where('id', '=', request.webhookId);
  await locks.own(webhook, 'webhooks').execute();
  const looked = await db
    .selectFrom('events')
    .select('position')
    .where('application_id', '=', request.applicationId)
    .where('position', '>', Number(request.afterId))
    .where('at', '>=', request.sinceAt)
    .orderBy('position')
    .limit(request.limit)
    .execute();
  const last = looked.at(-1)?.position;
  if (last === undefined || last === null) return { queued: 0, nextId: null };
  const which = sql`events.position > ${Number(request.afterId)} and events.position <= ${last}
    and events.at >= ${request.sinceAt}`;
  const queued = await requeueDeliveries(context, request.webhookId, which);
  return { queued, nextId: looked.length < request.limit ? null : String(last) };
};
