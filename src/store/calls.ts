import { sql, type UpdateQueryBuilder, type UpdateResult } from 'kysely';
import type { Outcome } from '../domain/outcome.ts';
import type { Transaction, Views } from '../domain/store-port.ts';
import type { Context } from './context.ts';
import { prepared } from './prepared.ts';
import { STANDING_QUEUES } from './queues.ts';
import type { Schema } from './schema.ts';

/** Calls that one `expireCalls` ends at most, so that a long list does not hold up the store. */
const EXPIRED_AT_ONCE = 1000;

/** Written out, not bound: only then may a database use the indexes that hold waiting calls alone. */
export const WAITING = sql.lit('waiting');
/**
 * Bound, for calls that are known by `seq`: of a table that it has not counted yet PostgreSQL thinks that few calls wait,
 * and would walk through all of those.
 */
export const STILL_WAITING = 'waiting';

type CallViews = 'countWaiting' | 'countInProgress' | 'nextDueAt' | 'listCancelledAttempts';

export const callViews = (context: Context): Pick<Views, CallViews> => {
  const { db } = context;
  const counter = prepared(db, () => UNDIALLED.compile(db));
  const firstDue = prepared(db, () => FIRST_DUE.compile(db));
  return {
    async countWaiting() {
      return (await counter({})).rows[0]?.value ?? 0;
    },
    async countInProgress() {
      const { rows } = await IN_PROGRESS.execute(db);
      return new Map(rows.map(({ state, calls }) => [state, Number(calls)]));
    },
    async nextDueAt() {
      return (await firstDue({})).rows[0]?.due_at ?? null;
    },
    listCancelledAttempts: () => listCancelledAttempts(context),
  };
};

/** Calls that have rows are counted as they change; those of blasts that are still folded are few numbers to add. */
const UNDIALLED = sql<{ value: number }>`
  select cast((select sum(value) from counters where name = 'undialled_calls')
    + coalesce((select sum(folded_calls) from blasts where is_unsettled = 1), 0) as bigint) as value`;

/** The states are those of the index `calls_in_progress`, which holds no more than may be in progress at once. */
const IN_PROGRESS = sql<{ state: string; calls: number }>`
  select state, count(*) as calls from calls where state in ('dialing', 'ringing', 'playing') group by state`;

/** Of each queue the first call stands for all: they have come in about this order. */
const FIRST_DUE = sql<{ due_at: number | null }>`
  ${STANDING_QUEUES} select min(due_at) as due_at from (
    select (
      select due_at from calls where state = 'waiting' and turn is not null and queue_seq = standing.seq
      order by turn, seq limit 1
    ) as due_at from standing where seq is not null
    union all select min(due_at) from calls where state = 'waiting' and turn is null
  ) as due`;

const listCancelledAttempts = async ({ db, nodeId }: Context): Promise<readonly string[]> => {
  const rows = await db
    .selectFrom('attempts')
    .innerJoin('calls', 'calls.seq', 'attempts.call_seq')
    .innerJoin('blasts', 'blasts.id', 'calls.blast_id')
    .select('attempts.id')
    .where('node_id', '=', nodeId())
    .where('ended_at', 'is', null)
    .where('blasts.state', '=', 'cancelled')
    .execute();
  return rows.map((row) => row.id);
};

export const callVerbs = (context: Context): Pick<Transaction, 'expireCalls'> => ({
  expireCalls: async () => expireCalls(context, await context.nowMs()),
});

const expireCalls = (context: Context, now: number): Promise<number> => {
  const overdue = context.db
    .selectFrom('calls')
    .select('seq')
    .where('state', '=', WAITING)
    .where('dial_by', '<=', now)
    .orderBy('dial_by')
    .limit(EXPIRED_AT_ONCE);
  const free = context.locks.ownFree(overdue, 'calls');
  return finishWaiting(context, 'expired', (query) => query.where('seq', 'in', free));
};

type CallUpdate = UpdateQueryBuilder<Schema, 'calls', 'calls', UpdateResult>;

/** Ends the waiting calls that `only` names by `seq`; how many. Counts and blasts follow by triggers. */
export const finishWaiting = async (
  { db }: Context,
  outcome: Outcome,
  only: (query: CallUpdate) => CallUpdate,
): Promise<number> => {
  const all = db.updateTable('calls').set({ state: 'finished', outcome }).where('state', '=', STILL_WAITING);
  const { numUpdatedRows } = await only(all).executeTakeFirst();
  return Number(numUpdatedRows);
};
