import { type Selectable, sql } from 'kysely';
import { AppError } from '../domain/app-error.ts';
import type { NewBlast } from '../domain/blast.ts';
import type { Transaction } from '../domain/store-port.ts';
import { openAttempts } from './attempts.ts';
import { finishWaiting } from './calls.ts';
import type { Context } from './context.ts';
import { prepared } from './prepared.ts';
import { type Target, targetFinder } from './routes.ts';
import type { Schema } from './schema.ts';

export const blastVerbs = (context: Context): Pick<Transaction, 'insertBlast' | 'cancelBlast'> => ({
  insertBlast: blastInserter(context),
  cancelBlast: (blastId) => cancelBlast(context, blastId),
});

const blastInserter = (context: Context): Transaction['insertBlast'] => {
  const { db } = context;
  const findTarget = targetFinder(context);
  const insertRow = prepared(db, (row: BlastRow) => db.insertInto('blasts').values(row).compile());
  const insertCalls = prepared(db, (values: CallValues) => callsOfNetwork(values).compile(db));
  return async (blast) => {
    const target = await findTarget(blast.networkId);
    if (!target) throw new AppError('not_found', `There is no network ${blast.networkId}.`);
    const now = await context.nowMs();
    await insertRow(rowOf(blast, target, now));
    await insertCalls({
      blastId: blast.id,
      networkId: blast.networkId,
      plannedTrunkId: target.trunkIds[0] ?? '',
      now,
      dialBy: now + blast.dialWithinMs,
    });
  };
};

type BlastRow = Omit<Selectable<Schema['blasts']>, 'seq'>;

const rowOf = (blast: NewBlast, target: Target, now: number): BlastRow => ({
  id: blast.id,
  application_id: blast.applicationId,
  network_id: blast.networkId,
  media_ids: JSON.stringify(blast.mediaIds),
  greeting_id: blast.greetingId,
  playlist: JSON.stringify(blast.playlist),
  retry: JSON.stringify(blast.retry),
  trunk_ids: JSON.stringify(target.trunkIds),
  caller_id: target.callerId,
  dial_within_ms: blast.dialWithinMs,
  accepted_at: now,
  state: target.destinationCount > 0 ? 'active' : 'finished',
  unfinished_calls: target.destinationCount,
});

interface CallValues {
  blastId: string;
  networkId: string;
  plannedTrunkId: string;
  now: number;
  dialBy: number;
}

/** Calls are numbered from 1, in the order of the network's destinations. */
const callsOfNetwork = ({ blastId, networkId, plannedTrunkId, now, dialBy }: CallValues) => sql`
  insert into calls (id, blast_id, position, destination, state, planned_trunk_id, due_at, dial_by, attempt_count)
  select cast(${blastId} as text) || '-' || (position + 1), cast(${blastId} as text), position + 1, destination,
    'waiting', cast(${plannedTrunkId} as text), cast(${now} as bigint), cast(${dialBy} as bigint), 0
  from network_destinations where network_id = ${networkId} order by position`;

const cancelBlast = async (context: Context, blastId: string) => {
  const { numUpdatedRows } = await context.db
    .updateTable('blasts')
    .set({ state: 'cancelled' })
    .where('id', '=', blastId)
    .where('state', '<>', 'finished')
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return null;
  const endedCalls = await finishWaiting(context, 'cancelled', (query) => query.where('blast_id', '=', blastId));
  const open = await openAttempts(context).select('attempts.id').where('calls.blast_id', '=', blastId).execute();
  return { attemptIds: open.map((attempt) => attempt.id), endedCalls };
};
