import { sql } from 'kysely';
import { entryOf, type LedgerEntry, type Queue } from '../domain/claim-round.ts';
import type { Context } from './context.ts';
import { padded } from './padded.ts';
import { prepared } from './prepared.ts';
import { headOf, STANDING_QUEUES } from './queues.ts';
import { rowInserter } from './row-inserter.ts';
import { parseJson } from './rows.ts';

/** Calls that become due in one claim; the next claim sees to the rest. */
const RIPENED_AT_ONCE = 500;
/** Entries of the ledger that one claim drops, more where they are of the same time, and how long they have meant nothing by then. */
const FORGOTTEN_AT_ONCE = 200;
const FORGOTTEN_AFTER_MS = 60_000;

/** Claims come one after another, on all nodes: each finds what the one before has committed. */
export const ledgerLock = ({ db, locks }: Context) =>
  prepared(db, () =>
    locks.own(db.selectFrom('paces').select('id').where('id', '=', entryOf.server), 'paces').compile(),
  );

/** Calls that have become due stand in their queues from now on, beside the first. */
export const ripener = ({ db }: Context) =>
  prepared(db, ({ now }: { now: number }) =>
    sql`update calls set turn = ${headOf(sql<number>`calls.queue_seq`)} where seq in (
      select seq from calls where state = 'waiting' and turn is null and due_at <= ${now}
      order by due_at limit ${sql.lit(RIPENED_AT_ONCE)})`.compile(db),
  );

/** What has not bound anybody for a while. */
export const forgetter = ({ db }: Context) => {
  const forget = prepared(db, ({ before }: { before: number }) =>
    sql`delete from paces where id <> 'server' and next_at < ${before} and next_at <= (
      select max(next_at) from (select next_at from paces order by next_at limit ${sql.lit(FORGOTTEN_AT_ONCE)}) as oldest
    )`.compile(db),
  );
  return (now: number) => forget({ before: now - FORGOTTEN_AFTER_MS });
};

interface QueueRow {
  seq: number;
  application_id: string;
  route: string;
  trunk_ids: string;
  priority: number | null;
  max_concurrent_calls: number | null;
  calls_per_second: number | null;
}

const QUEUE_COLUMNS = sql`queues.seq, queues.application_id, route, trunk_ids, priority, max_concurrent_calls,
  calls_per_second`;

const QUEUES = sql<QueueRow>`${STANDING_QUEUES}
  select ${QUEUE_COLUMNS} from standing join queues on queues.seq = standing.seq
    left join applications on applications.id = queues.application_id`;

const queueOf = (row: QueueRow): Queue => ({
  seq: row.seq,
  applicationId: row.application_id,
  route: row.route,
  trunkIds: parseJson<string[]>(row.trunk_ids),
  priority: row.priority ?? 1,
  limits: { maxConcurrentCalls: row.max_concurrent_calls, callsPerSecond: row.calls_per_second },
});

/** The queues in which calls stand. An application that is gone leaves no limits. */
export const queueReader = ({ db }: Context): (() => Promise<readonly Queue[]>) => {
  const standing = prepared(db, () => QUEUES.compile(db));
  return async () => (await standing({})).rows.map(queueOf);
};

/** The queues in which the calls of the attempts stood, and the trunks of the attempts; in the order of `ids`. */
export const queuesOfAttempts = async (
  { db }: Context,
  ids: readonly string[],
): Promise<readonly { readonly queue: Queue; readonly trunkId: string | null }[]> => {
  const { rows } = await sql<QueueRow & { id: string; trunk_id: string | null }>`
    select ${QUEUE_COLUMNS}, attempts.id, trunk_id
      from attempts join calls on calls.seq = attempts.call_seq join queues on queues.seq = calls.queue_seq
        left join applications on applications.id = queues.application_id
      where attempts.id in (${sql.join(padded(ids))})`.execute(db);
  const found = new Map(rows.map((row) => [row.id, { queue: queueOf(row), trunkId: row.trunk_id }]));
  return ids.map((id) => {
    const way = found.get(id);
    if (!way) throw new Error(`attempt ${id} is of no queue`);
    return way;
  });
};

/** The entries of the ledger that a round over these queues may need. */
export const readLedger = async (
  { db }: Context,
  queues: readonly Queue[],
): Promise<ReadonlyMap<string, LedgerEntry>> => {
  const names = queues.flatMap(({ seq, route, applicationId, trunkIds }) => [
    entryOf.queue(seq),
    entryOf.route(route),
    entryOf.application(applicationId),
    ...trunkIds.map(entryOf.trunk),
  ]);
  const rows = await db
    .selectFrom('paces')
    .selectAll()
    .where('id', 'in', padded([entryOf.server, ...new Set(names)]))
    .execute();
  return new Map(rows.map(({ id, next_at, charged }) => [id, { nextAt: next_at, charged }]));
};

/** Writes what has changed; the claim holds the ledger. */
export const ledgerWriter = (context: Context): ((ledger: ReadonlyMap<string, LedgerEntry>) => Promise<void>) => {
  const columns = { id: 'text', next_at: 'double precision', charged: 'double precision' } as const;
  const update = sql`on conflict (id) do update set next_at = excluded.next_at, charged = excluded.charged`;
  const write = rowInserter(context, 'paces', columns, update);
  return (ledger) => write([...ledger].map(([id, { nextAt, charged }]) => ({ id, next_at: nextAt, charged })));
};

/** Calls in progress on all nodes, by the names of the ledger. */
export const loadReader = ({ db }: Context): (() => Promise<ReadonlyMap<string, number>>) => {
  const load = prepared(db, () =>
    db
      .selectFrom('attempts')
      .select(['trunk_id', 'application_id', ({ fn, cast }) => cast<number>(fn.countAll(), 'bigint').as('calls')])
      .where('ended_at', 'is', null)
      .groupBy(['trunk_id', 'application_id'])
      .compile(),
  );
  return async () => {
    const inProgress = new Map<string, number>();
    for (const { trunk_id, application_id, calls } of (await load({})).rows)
      for (const name of [
        entryOf.server,
        entryOf.application(application_id),
        ...(trunk_id === null ? [] : [entryOf.trunk(trunk_id)]),
      ])
        inProgress.set(name, (inProgress.get(name) ?? 0) + calls);
    return inProgress;
  };
};

/** The first calls of a queue; with each, whether its destination is being called, and from when on it may be. */
export const headReader = ({ db }: Context) =>
  prepared(db, ({ queueSeq, now, limit }: { queueSeq: number; now: number; limit: number }) =>
    db
      .selectFrom('calls')
      .innerJoin('blasts', 'blasts.id', 'calls.blast_id')
      .select(['calls.seq', 'calls.id', 'blast_id', 'destination', 'attempt_count'])
      .select(['playlist', 'silences', 'caller_id', 'application_id', 'blasts.state as blast_state'])
      // As a join PostgreSQL would walk through all entries for each call, planned while there are few.
      .select(({ selectFrom }) => [
        selectFrom('paces')
          .select('next_at')
          .where('id', '=', sql<string>`'destination ' || calls.destination`)
          .as('next_at'),
      ])
      .select(
        sql<boolean | number>`exists (select 1 from calls as busy
          where busy.destination = calls.destination and busy.state in ('dialing', 'ringing', 'playing'))`.as(
          'is_busy',
        ),
      )
      .where('calls.state', '=', sql.lit('waiting'))
      .where('turn', 'is not', null)
      .where('queue_seq', '=', queueSeq)
      .where('dial_by', '>', now)
      .orderBy('turn')
      .orderBy('calls.seq')
      .limit(limit)
      .compile(),
  );

export type HeadCall = Awaited<ReturnType<ReturnType<typeof headReader>>>['rows'][number];
