import { sql, type UpdateQueryBuilder, type UpdateResult } from 'kysely';
import type { PlaylistItem } from '../domain/blast.ts';
import type { ClaimedCall, DialogNames } from '../domain/call.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { AttemptPlan, ClaimRequest, Transaction, Views } from '../domain/store-port.ts';
import type { Context } from './context.ts';
import { requireStanding } from './nodes.ts';
import { prepared } from './prepared.ts';
import { parseJson } from './rows.ts';
import type { Schema } from './schema.ts';

/** Calls that one `expireCalls` ends at most, so that a long list does not hold up the store. */
const EXPIRED_AT_ONCE = 1000;

/** Calls planned for a held trunk that one claim looks at, since another trunk may carry them. */
const LOOKED_AT_OF_HELD = 100;

/** Written out, not bound: only then may a database use the indexes that hold waiting calls alone. */
export const WAITING = sql.lit('waiting');

export const callViews = ({ db }: Context): Pick<Views, 'countWaiting' | 'nextDueAt'> => {
  const counter = prepared(db, () =>
    db
      .selectFrom('counters')
      .select(({ fn, cast }) => cast<number>(fn.sum('value'), 'bigint').as('value'))
      .where('name', '=', 'undialled_calls')
      .compile(),
  );
  const firstDue = prepared(db, () => FIRST_DUE.compile(db));
  return {
    async countWaiting() {
      return (await counter({})).rows[0]?.value ?? 0;
    },
    async nextDueAt() {
      return (await firstDue({})).rows[0]?.due_at ?? null;
    },
  };
};

/** The planned trunks of waiting calls, found in one index step each, however many calls wait for a trunk. */
const PLANNED_TRUNKS = sql`
  with recursive planned(trunk_id) as (
    select min(planned_trunk_id) from calls where state = 'waiting'
    union all
    select (select min(planned_trunk_id) from calls where state = 'waiting' and planned_trunk_id > planned.trunk_id)
    from planned where planned.trunk_id is not null
  )`;

const WAITED_FOR = sql<{ trunk_id: string }>`
  ${PLANNED_TRUNKS} select trunk_id from planned where trunk_id is not null`;

const FIRST_DUE = sql<{ due_at: number | null }>`
  ${PLANNED_TRUNKS} select min((
    select min(due_at) from calls where state = 'waiting' and planned_trunk_id = planned.trunk_id
  )) as due_at from planned where trunk_id is not null`;

export const callVerbs = (context: Context): Pick<Transaction, 'claimCalls' | 'expireCalls'> => ({
  claimCalls: callClaimer(context),
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

/** Ends the waiting calls that `only` leaves; how many. Counts and blasts follow by triggers. */
export const finishWaiting = async (
  { db }: Context,
  outcome: Outcome,
  only: (query: CallUpdate) => CallUpdate,
): Promise<number> => {
  const all = db.updateTable('calls').set({ state: 'finished', outcome }).where('state', '=', WAITING);
  const { numUpdatedRows } = await only(all).executeTakeFirst();
  return Number(numUpdatedRows);
};

const callClaimer = (context: Context): Transaction['claimCalls'] => {
  const waitedFor = prepared(context.db, () => WAITED_FOR.compile(context.db));
  const findDue = dueFinder(context);
  const startAttempt = attemptStarter(context);
  return async (claim) => {
    await requireStanding(context);
    const now = await context.nowMs();
    const due: DueCall[] = [];
    for (const { trunk_id } of (await waitedFor({})).rows)
      if (!claim.saturatedTrunkIds.includes(trunk_id))
        due.push(...(await findDue({ plannedTrunkId: trunk_id, now, limit: lookAhead(claim, trunk_id) })).rows);
    due.sort((a, b) => a.due_at - b.due_at || a.seq - b.seq);
    const claimed: ClaimedCall[] = [];
    for (const call of due) {
      if (claimed.length === claim.limit) break;
      const plan = claim.plan(parseJson<string[]>(call.trunk_ids), call.destination);
      if (plan) claimed.push(await startAttempt(call, plan, now));
    }
    return claimed;
  };
};

const lookAhead = ({ limit, heldTrunkIds }: ClaimRequest, trunkId: string): number =>
  heldTrunkIds.includes(trunkId) ? Math.max(limit, LOOKED_AT_OF_HELD) : limit;

const dueFinder = ({ db, locks }: Context) =>
  prepared(db, ({ plannedTrunkId, now, limit }: { plannedTrunkId: string; now: number; limit: number }) => {
    const due = db
      .selectFrom('calls')
      .innerJoin('blasts', 'blasts.id', 'calls.blast_id')
      .select(['calls.seq', 'calls.id', 'blast_id', 'destination', 'due_at', 'attempt_count'])
      .select(['playlist', 'trunk_ids', 'caller_id'])
      .where('calls.state', '=', WAITING)
      .where('planned_trunk_id', '=', plannedTrunkId)
      .where('due_at', '<=', now)
      .where('dial_by', '>', now)
      .orderBy('due_at')
      .orderBy('calls.seq')
      .limit(limit);
    // What another node is claiming at this moment is left to it.
    return locks.ownFree(due, 'calls').compile();
  });

type DueCall = Awaited<ReturnType<ReturnType<typeof dueFinder>>>['rows'][number];

const attemptStarter = ({ db, nodeId }: Context) => {
  const markDialing = prepared(db, ({ seq, number }: { seq: number; number: number }) =>
    db.updateTable('calls').set({ state: 'dialing', attempt_count: number }).where('seq', '=', seq).compile(),
  );
  const insertAttempt = prepared(db, (row: NewAttempt) => db.insertInto('attempts').values(row).compile());
  return async (call: DueCall, { names, trunkId }: AttemptPlan, now: number): Promise<ClaimedCall> => {
    const claimed = claimedOf(call, names, trunkId);
    await markDialing({ seq: call.seq, number: claimed.attemptNumber });
    await insertAttempt({ ...attemptOf(call.seq, claimed, now), node_id: nodeId() });
    return claimed;
  };
};

const claimedOf = (call: DueCall, names: DialogNames, trunkId: string | null): ClaimedCall => ({
  ...names,
  callId: call.id,
  blastId: call.blast_id,
  attemptId: `${call.id}-${call.attempt_count + 1}`,
  attemptNumber: call.attempt_count + 1,
  destination: call.destination,
  trunkId,
  callerId: call.caller_id,
  playlist: parseJson<PlaylistItem[]>(call.playlist),
});

const attemptOf = (call_seq: number, claimed: ClaimedCall, now: number) => ({
  id: claimed.attemptId,
  call_seq,
  number: claimed.attemptNumber,
  trunk_id: claimed.trunkId,
  sip_call_id: claimed.sipCallId,
  from_tag: claimed.fromTag,
  branch: claimed.branch,
  dialled_at: now,
  packets_sent: 0,
});

type NewAttempt = ReturnType<typeof attemptOf> & { node_id: string };
