import { randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import { AppError } from '../domain/app-error.ts';
import type { Application } from '../domain/application.ts';
import type { NewApplication, Transaction, Views } from '../domain/store-port.ts';
import type { Context } from './context.ts';
import { listed, windowOf } from './page.ts';
import { prepared } from './prepared.ts';
import { insertUnderId, parseJson, requireRows } from './rows.ts';
import type { Schema } from './schema.ts';

const COLUMNS = [
  'seq',
  'id',
  'name',
  'default_greeting_id',
  'retry',
  'priority',
  'max_concurrent_calls',
  'calls_per_second',
  'dial_by_seconds',
  'silences',
  'created_at',
] as const;

type Row = Pick<Selectable<Schema['applications']>, (typeof COLUMNS)[number]>;

const applicationOf = (row: Row): Application => ({
  id: row.id,
  name: row.name,
  defaultGreetingId: row.default_greeting_id,
  retry: parseJson(row.retry),
  priority: row.priority,
  maxConcurrentCalls: row.max_concurrent_calls,
  callsPerSecond: row.calls_per_second,
  dialBySeconds: row.dial_by_seconds,
  silences: parseJson(row.silences),
  createdAt: row.created_at,
});

type ApplicationViews = Pick<Views, 'findCaller' | 'findApplication' | 'listApplications'>;

export const applicationViews = ({ db, vault }: Context): ApplicationViews => {
  const keyByHash = prepared(db, (key: { hash: string }) =>
    db.selectFrom('app_keys').select(['id', 'application_id']).where('secret_hash', '=', key.hash).compile(),
  );
  const applicationById = prepared(db, (wanted: { id: string }) =>
    db.selectFrom('applications').select(COLUMNS).where('id', '=', wanted.id).compile(),
  );
  return {
    async findCaller(appKey) {
      const [row] = (await keyByHash({ hash: vault.hash('app key', appKey) })).rows;
      return row ? { applicationId: row.application_id, keyId: row.id } : null;
    },
    async findApplication(id) {
      const [row] = (await applicationById({ id })).rows;
      return row ? applicationOf(row) : null;
    },
    async listApplications(page) {
      const window = windowOf(page);
      const rows = await db
        .selectFrom('applications')
        .select(COLUMNS)
        .where('seq', '<', window.before)
        .orderBy('seq', 'desc')
        .limit(window.take)
        .execute();
      const { items, next } = listed(rows, window);
      return { items: items.map(applicationOf), next };
    },
  };
};

type ApplicationVerbs = Pick<
  Transaction,
  'createApplication' | 'replaceApplication' | 'deleteApplication' | 'createAppKey' | 'revokeAppKey'
>;

export const applicationVerbs = (context: Context): ApplicationVerbs => ({
  createApplication: (application) => createApplication(context, application),
  async replaceApplication(id, application) {
    await requireGreeting(context, application);
    const values = valuesOf(application);
    const { numUpdatedRows } = await context.db
      .updateTable('applications')
      .set(values)
      .where('id', '=', id)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  },
  async deleteApplication(id) {
    // Its keys and associations go with it (ON DELETE CASCADE); a grant stands only as long as its key does.
    const { numDeletedRows } = await context.db.deleteFrom('applications').where('id', '=', id).executeTakeFirst();
    return numDeletedRows > 0n;
  },
  createAppKey: (applicationId, secret) => createAppKey(context, applicationId, secret ?? newSecret()),
  async revokeAppKey(applicationId, keyId) {
    const { numDeletedRows } = await context.db
      .deleteFrom('app_keys')
      .where('id', '=', keyId)
      .where('application_id', '=', applicationId)
      .executeTakeFirst();
    return numDeletedRows > 0n;
  },
});

const valuesOf = (application: NewApplication) => ({
  name: application.name,
  default_greeting_id: application.defaultGreetingId,
  retry: JSON.stringify(application.retry),
  priority: application.priority,
  max_concurrent_calls: application.maxConcurrentCalls,
  calls_per_second: application.callsPerSecond,
  dial_by_seconds: application.dialBySeconds,
  silences: JSON.stringify(application.silences),
});

const requireGreeting = (context: Context, { defaultGreetingId }: NewApplication): Promise<void> =>
  requireRows(context, 'media', defaultGreetingId === null ? [] : [defaultGreetingId], 'defaultGreetingId');

const createApplication = async (context: Context, application: NewApplication): Promise<string> => {
  await requireGreeting(context, application);
  const created_at = await context.nowMs();
  const values = valuesOf(application);
  return insertUnderId(context, 'application', application.id, async (id) => {
    const { numInsertedOrUpdatedRows } = await context.db
      .insertInto('applications')
      .values({ id, ...values, created_at })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  });
};

/** 192 random bits, in characters that need no escape in a form or a URL. */
const newSecret = (): string => `rk_${randomBytes(24).toString('base64url')}`;

const createAppKey = async (context: Context, applicationId: string, secret: string) => {
  const { db, vault } = context;
  const application = await db
    .selectFrom('applications')
    .select('id')
    .where('id', '=', applicationId)
    .executeTakeFirst();
  if (!application) throw new AppError('not_found', `There is no application ${applicationId}.`);
  const secret_hash = vault.hash('app key', secret);
  const taken = await db.selectFrom('app_keys').select('id').where('secret_hash', '=', secret_hash).executeTakeFirst();
  if (taken) throw new AppError('duplicate_id', 'This app key is in use. Give another one.', { field: 'appKey' });
  const created_at = await context.nowMs();
  const id = await insertUnderId(context, 'app_key', null, async (keyId) => {
    await db
      .insertInto('app_keys')
      .values({ id: keyId, application_id: applicationId, secret_hash, created_at })
      .execute();
    return true;
  });
  return { id, secret };
};
