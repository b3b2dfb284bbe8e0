import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Context } from './context.ts';
import { headOf, queueFinder } from './queues.ts';
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
  const queueSeq = await queueFinder(context)(blast.application_id, parseJson<string[]>(blast.trunk_ids));
  const { from, head } = await db
    .selectNoFrom((eb) => [
      eb
        .selectFrom('calls')
        .select(({ fn }) => fn.max('position').as('from'))
        .where('blast_id', '=', blast.id)
        .as('from'),
      headOf(queueSeq).as('head'),
    ])
    .executeTakeFirstOrThrow();
  const start = from ?? 0;
  const unfolded = Math.min(CALLS_AT_ONCE, blast.folded_calls);
  const turn = Math.max(head, blast.first_turn + start);
  const dueAt = blast.accepted_at;
  const values = { blastId: blast.id, networkId: blast.network_id, queueSeq, from: start, to: start + unfolded, dueAt };
  await callsOfNetwork({ ...values, dialBy: dueAt + blast.dial_within_ms }, turn).execute(db);
  return blast.folded_calls - unfolded;
};

export interface CallValues {
  blastId: string;
  networkId: string;
  queueSeq: number;
  /** Positions in the network, the last one excluded. */
  from: number;
  to: number;
  dueAt: number;
  dialBy: number;
}

/** Calls are numbered from 1, in the order of the network's destinations. The first of them has its turn at `turn`. */
export const callsOfNetwork = (values: CallValues, turn: number | RawBuilder<number>) => sql`
  insert into calls (id, blast_id, position, destination, state, queue_seq, turn, due_at, dial_by, attempt_count)
  select cast(${values.blastId} as text) || '-' || (position + 1), cast(${values.blastId} as text), position + 1,
    destination, 'waiting', cast(${values.queueSeq} as bigint),
    cast(${turn} as bigint) + position - cast(${values.from} as bigint),
    cast(${values.dueAt} as bigint), cast(${values.dialBy} as bigint), 0
  from network_destinations where network_id = ${values.networkId}
    and position >= cast(${values.from} as bigint) and position < cast(${values.to} as bigint) order by position`;
