import type { CancelledBlast, SettledPart, Transaction } from '../domain/store-port.ts';
import { finishWaiting, WAITING } from './calls.ts';
import type { Context } from './context.ts';
import { CALLS_AT_ONCE, unfoldSome, unsettled } from './unfold.ts';

export const settleVerbs = (context: Context): Pick<Transaction, 'cancelBlast' | 'settleBlast'> => ({
  cancelBlast: (blastId) => cancelBlast(context, blastId),
  settleBlast: () => settleBlast(context),
});

const cancelBlast = async (context: Context, blastId: string): Promise<CancelledBlast | null> => {
  const cancelled = await context.db
    .updateTable('blasts')
    .set({ state: 'cancelled' })
    .where('id', '=', blastId)
    .where('state', '<>', 'finished')
    .returning(['seq', 'folded_calls'])
    .executeTakeFirst();
  if (!cancelled) return null;
  const endedCalls = await endSomeCalls(context, blastId);
  await setUnsettled(context, cancelled.seq, cancelled.folded_calls, endedCalls);
  const open = await openAttempts(context, blastId);
  return { attemptIds: open.map((attempt) => attempt.id), endedCalls };
};

/** From the attempts to their calls, never the other way: a blast may have 100,000. */
const openAttempts = ({ db }: Context, blastId: string) =>
  db
    .selectFrom('attempts')
    .select('id')
    .where('ended_at', 'is', null)
    .where(
      ({ selectFrom }) => selectFrom('calls').select('blast_id').whereRef('calls.seq', '=', 'attempts.call_seq'),
      '=',
      blastId,
    )
    .execute();

/** Ends waiting calls of a cancelled blast, `CALLS_AT_ONCE` of them at most. */
const endSomeCalls = (context: Context, blastId: string): Promise<number> => {
  const some = context.db
    .selectFrom('calls')
    .select('seq')
    .where('blast_id', '=', blastId)
    .where('state', '=', WAITING)
    .limit(CALLS_AT_ONCE);
  return finishWaiting(context, 'cancelled', (query) => query.where('seq', 'in', some));
};

const setUnsettled = async ({ db }: Context, seq: number, folded_calls: number, ended: number): Promise<void> => {
  const is_unsettled = folded_calls > 0 || ended === CALLS_AT_ONCE ? 1 : 0;
  await db.updateTable('blasts').set({ folded_calls, is_unsettled }).where('seq', '=', seq).execute();
};

const settleBlast = async (context: Context): Promise<SettledPart> => {
  const blast = await unsettled(context);
  if (!blast) return { isMore: false, endedCalls: 0 };
  const folded = await unfoldSome(context, blast);
  const endedCalls = blast.state === 'cancelled' ? await endSomeCalls(context, blast.id) : 0;
  await setUnsettled(context, blast.seq, folded, endedCalls);
  return { isMore: true, endedCalls };
};
