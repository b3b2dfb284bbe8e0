import { type Selectable, sql } from 'kysely';
import type { Context } from './context.ts';
import { queueFinder } from './queues.ts';
import { parseJson } from './rows.ts';
import type { Schema } from './schema.ts';

/** Calls that one unit of work gives rows, or ends, so that none holds up the store. */
export const CALLS_AT_ONCE = 500;

type UnsettledBlast = Selectable<Schema['blasts']>;

/** The oldest blast that is to be settled, or of those to a network that are still folded. */
export const unsettled = ({ db, locks }: Context, ofNetwork?: string): Promise<UnsettledBlast | undefined> => {
  const all = db
    .selectFrom('blasts')
    .selectAll()
    .$if(ofNetwork !== undefined, (query) =>
      query.where('network_id', '=', ofNetwork ?? '').where('folded_calls', '>', 0),
    )
    .where('is_unsettled', '=', sql.lit(1))
    .orderBy('seq')
    .limit(1);
  return locks.own(all, 'blasts').executeTakeFirst();
};

/** Unfolds blasts to a network that is about to be another: what was accepted is what is called. */
export const unfoldNetwork = async (context: Context, networkId: string): Promise<void> => {
  for (;;) {
    const blast = await unsettled(context, networkId);
    if (!blast) return;
    let folded = blast.folded_calls;
    while (folded > 0) folded = await unfoldSome(context, { ...blast, folded_calls: folded });
    await context.db.updateTable('blasts').set({ folded_calls: 0 }).where('seq', '=', blast.seq).execute();
  }
};

/** Gives the next calls of a blast their rows, in the turns that they would have had; how many are left. */
export const unfoldSome = async (context: Context, blast: UnsettledBlast): Promise<number> => {
  if (blast.folded_calls === 0) return 0;
  const { db } = context;
  const queue = await queueFinder(context)(blast.application_id, parseJson<string[]>(blast.trunk_ids));
  const { last } = await db
    .selectFrom('calls')
    .select(({ fn }) => fn.max('position').as('last'))
    .where('blast_id', '=', blast.id)
    .executeTakeFirstOrThrow();
  const from = last ?? 0;
  const unfolded = Math.min(CALLS_AT_ONCE, blast.folded_calls);
  const dueAt = blast.accepted_at;
  await callsOfNetwork(context, {
    blasts: blastsJson([{ id: blast.id, dialBy: dueAt + blast.dial_within_ms }]),
    networkId: blast.network_id,
    queueSeq: queue.seq,
    turn: Math.max(queue.head, blast.first_turn + from),
    from,
    to: from + unfolded,
    dueAt,
  }).execute(db);
  return blast.folded_calls - unfolded;
};

/** Blasts that get calls, as `callsOfNetwork` takes them. */
export const blastsJson = (blasts: readonly { readonly id: string; readonly dialBy: number }[]): string =>
  JSON.stringify(blasts.map(({ id, dialBy }) => ({ id, dial_by: dialBy })));

export interface CallValues {
  /** Of `blastsJson`. */
  blasts: string;
  networkId: string;
  queueSeq: number;
  /** Of the first call of each blast. */
  turn: number;
  /** Positions in the network, the last one excluded. */
  from: number;
  to: number;
  dueAt: number;
}

/** Calls are numbered from 1, in the order of the network's destinations. */
export const callsOfNetwork = ({ jsonRows }: Context, values: CallValues) => sql`
  insert into calls (id, blast_id, position, destination, state, queue_seq, turn, due_at, dial_by, attempt_count)
  select blast.id || '-' || (position + 1), blast.id, position + 1, destination, 'waiting',
    cast(${values.queueSeq} as bigint), cast(${values.turn} as bigint) + position - cast(${values.from} as bigint),
    cast(${values.dueAt} as bigint), blast.dial_by, 0
  from network_destinations, ${jsonRows(values.blasts, 'blast', { id: 'text', dial_by: 'bigint' })}
  where network_id = ${values.networkId}
    and position >= cast(${values.from} as bigint) and position < cast(${values.to} as bigint) order by position`;
