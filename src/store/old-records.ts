import type { Transaction } from '../domain/store-port.ts';
import type { Context } from './context.ts';
import { padded } from './padded.ts';

/** Rows of one kind that one turn looks at: so few that those whose commits wait for it do not notice. */
const AT_ONCE = 500;

export const oldRecordVerbs = (context: Context): Pick<Transaction, 'dropOldRecords'> => ({
  async dropOldRecords(keepForMs) {
    const before = (await context.nowMs()) - keepForMs;
    const blastIds = await finishedBlasts(context, before);
    const calls = await dropCalls(context, blastIds);
    const blasts = await dropBlasts(context, blastIds);
    return calls + blasts + (await dropGrants(context, before)) + (await dropNodes(context, before));
  },
});

/**
 * Of the oldest blasts those that are done and too old. By the order of their rows, so that a blast costs no further
 * index. What another node is dropping is left to it.
 */
const finishedBlasts = async ({ db, locks }: Context, before: number): Promise<readonly string[]> => {
  const oldest = await db.selectFrom('blasts').select('seq').orderBy('seq').limit(AT_ONCE).execute();
  if (oldest.length === 0) return [];
  const seqs = padded(oldest.map(({ seq }) => seq));
  const finished = db
    .selectFrom('blasts')
    .select('id')
    .where('seq', 'in', seqs)
    .where('accepted_at', '<', before)
    .where('unfinished_calls', '=', 0)
    .where('is_unsettled', '=', 0);
  return (await locks.ownFree(finished, 'blasts').execute()).map(({ id }) => id);
};

/** Calls with their attempts, and what was said on the wire, of any of these blasts. */
const dropCalls = async ({ db }: Context, blastIds: readonly string[]): Promise<number> => {
  if (blastIds.length === 0) return 0;
  const ofBlasts = db.selectFrom('calls').select('seq').where('blast_id', 'in', padded(blastIds));
  const calls = await ofBlasts.limit(AT_ONCE).execute();
  if (calls.length === 0) return 0;
  const seqs = padded(calls.map(({ seq }) => seq));
  const attempts = await db.deleteFrom('attempts').where('call_seq', 'in', seqs).returning('id').execute();
  for (let at = 0; at < attempts.length; at += AT_ONCE) {
    const ids = padded(attempts.slice(at, at + AT_ONCE).map(({ id }) => id));
    await db.deleteFrom('sip_messages').where('attempt_id', 'in', ids).execute();
  }
  await db.deleteFrom('calls').where('seq', 'in', seqs).execute();
  return calls.length;
};

/** Those of which no call is left. */
const dropBlasts = async ({ db }: Context, blastIds: readonly string[]): Promise<number> => {
  if (blastIds.length === 0) return 0;
  const { numDeletedRows } = await db
    .deleteFrom('blasts')
    .where('id', 'in', padded(blastIds))
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('calls').select('seq').whereRef('calls.blast_id', '=', 'blasts.id'))),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
};

const dropGrants = async ({ db }: Context, before: number): Promise<number> => {
  const ended = db.selectFrom('grants').select('seq').where('expires_at', '<', before);
  const old = await ended.where('state', '<>', 'claimed').limit(AT_ONCE).execute();
  if (old.length === 0) return 0;
  const seqs = padded(old.map(({ seq }) => seq));
  await db.deleteFrom('grants').where('seq', 'in', seqs).where('state', '<>', 'claimed').execute();
  return old.length;
};

const dropNodes = async ({ db }: Context, before: number): Promise<number> => {
  const old = await db.selectFrom('nodes').select('id').where('taken_over_at', '<', before).limit(AT_ONCE).execute();
  if (old.length === 0) return 0;
  await db
    .deleteFrom('nodes')
    .where('id', 'in', padded(old.map(({ id }) => id)))
    .execute();
  return old.length;
};
