import type { Selectable } from 'kysely';
import type { Transaction, Views } from '../domain/store-port.ts';
import type { Context } from './context.ts';
import { LostRace } from './lost-race.ts';
import { prepared } from './prepared.ts';
import type { Schema } from './schema.ts';

/** How long a key is kept after the request it was sent with. */
const KEPT_MS = 24 * 3600 * 1000;
/** With every so many new keys, twice as many that are past their day are dropped: a day's keys are kept at most. */
const FORGET_EVERY = 64;

export const idempotencyViews = ({ db, nowMs }: Context): Pick<Views, 'recallBlast'> => {
  const remembered = prepared(db, (key: { applicationId: string; idempotencyKey: string; since: number }) =>
    db
      .selectFrom('idempotency')
      .select(['blast_id as blastId', 'request_digest as requestDigest'])
      .where('application_id', '=', key.applicationId)
      .where('idempotency_key', '=', key.idempotencyKey)
      .where('created_at', '>', key.since)
      .compile(),
  );
  return {
    async recallBlast(applicationId, idempotencyKey) {
      const since = (await nowMs()) - KEPT_MS;
      return (await remembered({ applicationId, idempotencyKey, since })).rows[0] ?? null;
    },
  };
};

export const idempotencyVerbs = (context: Context): Pick<Transaction, 'rememberBlast'> => {
  const forget = oldKeyRemover(context);
  let newKeys = 0;
  const remember = prepared(context.db, (row: NewRow) => insertOrReplace(context, row));
  return {
    async rememberBlast(applicationId, idempotencyKey, { blastId, requestDigest }) {
      const now = await context.nowMs();
      newKeys += 1;
      if (newKeys % FORGET_EVERY === 0) await forget({ until: now - KEPT_MS });
      const { numAffectedRows } = await remember({
        application_id: applicationId,
        idempotency_key: idempotencyKey,
        blast_id: blastId,
        request_digest: requestDigest,
        created_at: now,
        until: now - KEPT_MS,
      });
      if (numAffectedRows === 0n) throw new LostRace('the key was used since it was looked up');
    },
  };
};

interface NewRow extends Omit<Selectable<Schema['idempotency']>, 'seq'> {
  /** What was remembered until then may be replaced. */
  readonly until: number;
}

const insertOrReplace = ({ db }: Context, row: NewRow) => {
  const { application_id, idempotency_key, until, ...values } = row;
  return db
    .insertInto('idempotency')
    .values({ application_id, idempotency_key, ...values })
    .onConflict((conflict) =>
      conflict
        .columns(['application_id', 'idempotency_key'])
        .doUpdateSet(values)
        .where('idempotency.created_at', '<=', until),
    )
    .compile();
};

/** Drops those of the longest kept keys that are past their day. */
const oldKeyRemover = ({ db }: Context) =>
  prepared(db, ({ until }: { until: number }) =>
    db
      .deleteFrom('idempotency')
      .where('seq', 'in', (eb) =>
        eb
          .selectFrom('idempotency')
          .select('seq')
          .orderBy('seq')
          .limit(2 * FORGET_EVERY),
      )
      .where('created_at', '<=', until)
      .compile(),
  );

/** Drops every key past its day. */
export const forgetAllOldKeys = async ({ db, nowMs }: Context): Promise<void> => {
  await db
    .deleteFrom('idempotency')
    .where('created_at', '<=', (await nowMs()) - KEPT_MS)
    .execute();
};
