import type { AttemptResult } from '../domain/call.ts';
import { mayRetry, type RetryRule } from '../domain/retry.ts';
import type { Transaction } from '../domain/store-port.ts';
import type { Context } from './context.ts';
import { prepared } from './prepared.ts';
import { parseJson } from './rows.ts';

type AttemptVerbs = Pick<Transaction, 'recordRinging' | 'recordAnswered' | 'recordOutcome'>;

/** Nothing is noted of an attempt that has ended: its first outcome stands. */
export const attemptVerbs = (context: Context): AttemptVerbs => ({
  async recordRinging(attemptId) {
    const ringing_at = await context.nowMs();
    const attempt = await context.db
      .updateTable('attempts')
      .set({ ringing_at })
      .where('id', '=', attemptId)
      .where('ended_at', 'is', null)
      .where('ringing_at', 'is', null)
      .returning('call_seq')
      .executeTakeFirst();
    if (attempt) await moveCall(context, attempt.call_seq, ['dialing'], 'ringing');
  },
  async recordAnswered(attemptId, codec) {
    const answered_at = await context.nowMs();
    const attempt = await context.db
      .updateTable('attempts')
      .set({ answered_at, codec })
      .where('id', '=', attemptId)
      .where('ended_at', 'is', null)
      .where('answered_at', 'is', null)
      .returning('call_seq')
      .executeTakeFirst();
    if (attempt) await moveCall(context, attempt.call_seq, ['dialing', 'ringing'], 'playing');
  },
  recordOutcome: outcomeRecorder(context),
});

const moveCall = async ({ db }: Context, seq: number, from: readonly string[], to: string): Promise<void> => {
  await db.updateTable('calls').set({ state: to }).where('seq', '=', seq).where('state', 'in', from).execute();
};

const outcomeRecorder = (context: Context): Transaction['recordOutcome'] => {
  const endAttempt = attemptEnder(context);
  const findRule = ruleFinder(context);
  const finishCall = prepared(context.db, ({ seq, outcome }: { seq: number; outcome: string }) =>
    context.db.updateTable('calls').set({ state: 'finished', outcome }).where('seq', '=', seq).compile(),
  );
  return async (attemptId, result) => {
    const now = await context.nowMs();
    const [attempt] = (await endAttempt(endingOf(attemptId, result, now))).rows;
    if (!attempt) return false;
    const blast = await findRule(attempt.call_seq);
    const mayWait = attempt.answered_at === null && !result.wasAnswered && blast.state === 'active';
    const isOver = !mayWait || !mayRetry(blast.retry, result.outcome, attempt.number);
    if (isOver) await finishCall({ seq: attempt.call_seq, outcome: result.outcome });
    else await waitAgain(context, attempt.call_seq, now + delaySeconds(blast.retry, result) * 1000, blast.dialWithinMs);
    return isOver;
  };
};

/** The rule's delay, or what the peer asked for if that is longer. */
const delaySeconds = (rule: RetryRule, { retryAfterSeconds = 0 }: AttemptResult): number =>
  Math.max(rule.delaySeconds, retryAfterSeconds);

const endingOf = (id: string, result: AttemptResult, now: number) => ({
  id,
  now,
  outcome: result.outcome,
  sipStatus: result.sipStatus,
  sipReason: result.sipReason,
  codec: result.codec,
  framesSent: JSON.stringify(result.framesSent),
  packetsSent: result.rtp.packetsSent,
  packetsLost: result.rtp.packetsLost,
  jitterMs: result.rtp.jitterMs,
  digits: JSON.stringify(result.digits),
  hungUpAt: result.hungUpAt && JSON.stringify(result.hungUpAt),
  roundTripMs: result.rtp.roundTripMs,
  mosEstimate: result.rtp.mosEstimate,
  latenessP50Ms: result.rtp.latenessMs?.p50 ?? null,
  latenessP99Ms: result.rtp.latenessMs?.p99 ?? null,
});

const attemptEnder = ({ db }: Context) =>
  prepared(db, (ending: ReturnType<typeof endingOf>) =>
    db
      .updateTable('attempts')
      .set((eb) => ({
        ended_at: ending.now,
        outcome: ending.outcome,
        sip_status: ending.sipStatus,
        sip_reason: ending.sipReason,
        codec: eb.fn.coalesce(eb.val(ending.codec), 'codec'),
        frames_sent: ending.framesSent,
        packets_sent: ending.packetsSent,
        packets_lost: ending.packetsLost,
        jitter_ms: ending.jitterMs,
        digits: ending.digits,
        hung_up_at: ending.hungUpAt,
        round_trip_ms: ending.roundTripMs,
        mos_estimate: ending.mosEstimate,
        lateness_p50_ms: ending.latenessP50Ms,
        lateness_p99_ms: ending.latenessP99Ms,
      }))
      .where('id', '=', ending.id)
      .where('ended_at', 'is', null)
      .returning(['call_seq', 'number', 'answered_at'])
      .compile(),
  );

/** Nobody cancels the blast between this and the commit: what waits again would not be seen. */
const ruleFinder = ({ db, locks }: Context) => {
  const blastOfCall = prepared(db, ({ seq }: { seq: number }) => {
    const blast = db
      .selectFrom('calls')
      .innerJoin('blasts', 'blasts.id', 'calls.blast_id')
      .select(['blasts.state', 'blasts.retry', 'blasts.dial_within_ms'])
      .where('calls.seq', '=', seq);
    return locks.own(blast, 'blasts').compile();
  });
  return async (seq: number) => {
    const [row] = (await blastOfCall({ seq })).rows;
    if (!row) throw new Error(`call number ${seq} is of no blast`);
    return { state: row.state, retry: parseJson<RetryRule>(row.retry), dialWithinMs: row.dial_within_ms };
  };
};

/** The next attempt has as long to be dialled, counted from when it is due, as the first had. */
const waitAgain = async ({ db }: Context, seq: number, due_at: number, dialWithinMs: number): Promise<void> => {
  const dial_by = due_at + dialWithinMs;
  await db.updateTable('calls').set({ state: 'waiting', due_at, dial_by }).where('seq', '=', seq).execute();
};

/** Attempts that have not ended, with their calls. */
export const openAttempts = ({ db }: Context) =>
  db.selectFrom('attempts').innerJoin('calls', 'calls.seq', 'attempts.call_seq').where('attempts.ended_at', 'is', null);
