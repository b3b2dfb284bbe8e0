import type { Selectable } from 'kysely';
import { allSettled } from '../domain/all-settled.ts';
import { AppError } from '../domain/app-error.ts';
import type { NewBlast } from '../domain/blast.ts';
import type { Transaction } from '../domain/store-port.ts';
import type { Context } from './context.ts';
import { prepared } from './prepared.ts';
import { type Queue, queueFinder } from './queues.ts';
import { type Target, targetFinder } from './routes.ts';
import { rowInserter } from './row-inserter.ts';
import type { Schema } from './schema.ts';
import { blastsJson, CALLS_AT_ONCE, type CallValues, callsOfNetwork } from './unfold.ts';

export const blastVerbs = (context: Context): Pick<Transaction, 'insertBlast'> => ({
  insertBlast: blastInserter(context),
});

/** Blasts of one application to one network. */
interface Group {
  readonly blasts: readonly NewBlast[];
  readonly networkId: string;
  readonly target: Target;
  readonly queue: Queue;
}

const blastInserter = (context: Context): Transaction['insertBlast'] => {
  const { db } = context;
  const groupOf = groupFinder(context);
  const insertRows = rowInserter(context, 'blasts', COLUMNS);
  const insertCalls = prepared(db, (values: CallValues) => callsOfNetwork(context, values).compile(db));
  return async (...blasts) => {
    const now = await context.nowMs();
    const together = Map.groupBy(blasts, ({ applicationId, networkId }) => JSON.stringify([applicationId, networkId]));
    const groups = await allSettled([...together.values()].map(groupOf));
    const rows = groups.flatMap((group) => group.blasts.map((blast) => rowOf(blast, group, now)));
    await insertRows(rows);
    await Promise.all(groups.map((group) => insertCalls(callsOf(group, now))));
  };
};

const groupFinder = (context: Context): ((blasts: readonly NewBlast[]) => Promise<Group>) => {
  const findTarget = targetFinder(context);
  const queueOf = queueFinder(context);
  return async (blasts) => {
    const { networkId = '', applicationId = '' } = blasts[0] ?? {};
    const target = await findTarget(networkId);
    if (!target) throw new AppError('not_found', `There is no network ${networkId}.`);
    return { blasts, networkId, target, queue: await queueOf(applicationId, target.trunkIds) };
  };
};

const callsOf = ({ blasts, networkId, queue }: Group, now: number): CallValues => ({
  blasts: blastsJson(blasts.map(({ id, dialWithinMs }) => ({ id, dialBy: now + dialWithinMs }))),
  networkId,
  queueSeq: queue.seq,
  turn: queue.head,
  from: 0,
  to: CALLS_AT_ONCE,
  dueAt: now,
});

const COLUMNS = {
  id: 'text',
  application_id: 'text',
  network_id: 'text',
  media_ids: 'text',
  greeting_id: 'text',
  playlist: 'text',
  retry: 'text',
  silences: 'text',
  trunk_ids: 'text',
  caller_id: 'text',
  dial_within_ms: 'bigint',
  accepted_at: 'bigint',
  state: 'text',
  unfinished_calls: 'bigint',
  first_turn: 'bigint',
  folded_calls: 'bigint',
  is_unsettled: 'bigint',
} as const;

const rowOf = (
  blast: NewBlast,
  { target, queue }: Group,
  now: number,
): Pick<Selectable<Schema['blasts']>, keyof typeof COLUMNS> => ({
  id: blast.id,
  application_id: blast.applicationId,
  network_id: blast.networkId,
  media_ids: JSON.stringify(blast.mediaIds),
  greeting_id: blast.greetingId,
  playlist: JSON.stringify(blast.playlist),
  retry: JSON.stringify(blast.retry),
  silences: JSON.stringify(blast.silences),
  trunk_ids: JSON.stringify(target.trunkIds),
  caller_id: target.callerId,
  dial_within_ms: blast.dialWithinMs,
  accepted_at: now,
  state: target.destinationCount > 0 ? 'active' : 'finished',
  unfinished_calls: target.destinationCount,
  first_turn: queue.head,
  folded_calls: Math.max(0, target.destinationCount - CALLS_AT_ONCE),
  is_unsettled: target.destinationCount > CALLS_AT_ONCE ? 1 : 0,
});
