import type { Selectable } from 'kysely';
import { AppError } from '../domain/app-error.ts';
import type { NewBlast } from '../domain/blast.ts';
import type { Transaction } from '../domain/store-port.ts';
import type { Context } from './context.ts';
import { prepared } from './prepared.ts';
import { headOf, queueFinder } from './queues.ts';
import { type Target, targetFinder } from './routes.ts';
import type { Schema } from './schema.ts';
import { CALLS_AT_ONCE, type CallValues, callsOfNetwork } from './unfold.ts';

export const blastVerbs = (context: Context): Pick<Transaction, 'insertBlast'> => ({
  insertBlast: blastInserter(context),
});

const blastInserter = (context: Context): Transaction['insertBlast'] => {
  const { db } = context;
  const findTarget = targetFinder(context);
  const queueOf = queueFinder(context);
  const insertRow = prepared(db, ({ queueSeq, ...row }: BlastRow & { queueSeq: number }) =>
    db
      .insertInto('blasts')
      .values({ ...row, first_turn: headOf(queueSeq) })
      .compile(),
  );
  const insertCalls = prepared(db, (values: CallValues) => callsOfNetwork(values, headOf(values.queueSeq)).compile(db));
  return async (blast) => {
    const target = await findTarget(blast.networkId);
    if (!target) throw new AppError('not_found', `There is no network ${blast.networkId}.`);
    const now = await context.nowMs();
    const queueSeq = await queueOf(blast.applicationId, target.trunkIds);
    await insertRow({ ...rowOf(blast, target, now), queueSeq });
    const { id: blastId, networkId } = blast;
    const dialBy = now + blast.dialWithinMs;
    await insertCalls({ blastId, networkId, queueSeq, from: 0, to: CALLS_AT_ONCE, dueAt: now, dialBy });
  };
};

type BlastRow = Omit<Selectable<Schema['blasts']>, 'seq' | 'first_turn'>;

const rowOf = (blast: NewBlast, target: Target, now: number): BlastRow => ({
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
  folded_calls: Math.max(0, target.destinationCount - CALLS_AT_ONCE),
  is_unsettled: target.destinationCount > CALLS_AT_ONCE ? 1 : 0,
});
