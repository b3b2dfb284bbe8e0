import { sql } from 'kysely';
import type { AttemptResult } from '../domain/call.ts';
import { entryOf } from '../domain/claim-round.ts';
import { type NextStep, nextStep, type RetryRule } from '../domain/retry.ts';
import type { Transaction } from '../domain/store-port.ts';
import type { Context } from './context.ts';
import { prepared } from './prepared.ts';
import { queueFinder } from './queues.ts';
import { parseJson } from './rows.ts';

type AttemptVerbs = Pick<Transaction, 'recordRinging' | 'recordAnswered' | 'recordOutcome'>;

/** Not `is null`, for an attempt that is known by its id: see `STILL_WAITING`. */
const HAS_NOT_ENDED = sql<boolean>`coalesce(ended_at, 0) = 0`;

/** Nothing is noted of an attempt that has ended: its first outcome stands. */
export const attemptVerbs = (context: Context): AttemptVerbs => ({
  async recordRinging(attemptId, dialog, agoMs = 0) {
    const ringing_at = (await context.nowMs()) - agoMs;
    const attempt = await context.db
      .updateTable('attempts')
      .set({ ringing_at, dialog })
      .where('id', '=', attemptId)
      .where(HAS_NOT_ENDED)
      .where('ringing_at', 'is', null)
      .returning('call_seq')
      .executeTakeFirst();
    if (attempt) await moveCall(context, attempt.call_seq, ['dialing'], 'ringing');
  },
  async recordAnswered(attemptId, codec, dialog, agoMs = 0) {
    const answered_at = (await context.nowMs()) - agoMs;
    const attempt = await context.db
      .updateTable('attempts')
      .set({ answered_at, codec, dialog })
      .where('id', '=', attemptId)
      .where(HAS_NOT_ENDED)
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
  const waitAgain = waiter(context);
  return async (attemptId, result, agoMs = 0) => {
    const endedAt = (await context.nowMs()) - agoMs;
    const [attempt] = (await endAttempt(endingOf(attemptId, result, endedAt))).rows;
    if (!attempt) return false;
    const call = await findRule(attempt.call_seq);
    const trunksLeft = call.trunkIds.slice(call.trunkIds.indexOf(attempt.trunk_id ?? '') + 1);
    const step = nextStep(call.rule, {
      outcome: result.outcome,
      sipStatus: result.sipStatus,
      rang: attempt.ringing_at !== null,
      answered: attempt.answered_at !== null || (result.wasAnswered ?? false),
      isWanted: call.blastState === 'active',
      attemptsMade: attempt.number - call.uncountedAttempts,
      trunksLeft: attempt.trunk_id === null ? 0 : trunksLeft.length,
      retryAfterSeconds: result.retryAfterSeconds ?? 0,
    });
    if (step.kind === 'over') await finishCall({ seq: attempt.call_seq, outcome: result.outcome });
    else await waitAgain(attempt.call_seq, call, step, trunksLeft, endedAt);
    return step.kind === 'over';
  };
};

const endingOf = (id: string, result: AttemptResult, endedAt: number) => ({
  id,
  endedAt,
  outcome: result.outcome,
  sipStatus: result.sipStatus,
  sipReason: result.sipReason,
  codec: result.codec,
  framesSent: JSON.stringify(result.framesSent),
  packetsSent: result.rtp.packetsSent,
  packetsLost: result.rtp.packetsLost,
  jitterMs: result.rtp.jitterMs,
  packetsRefused: result.rtp.packetsRefused,
  peerRefusals: result.rtp.peerRefusals,
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
        ended_at: ending.endedAt,
        outcome: ending.outcome,
        sip_status: ending.sipStatus,
        sip_reason: ending.sipReason,
        codec: eb.fn.coalesce(eb.val(ending.codec), 'codec'),
        frames_sent: ending.framesSent,
        packets_sent: ending.packetsSent,
        packets_lost: ending.packetsLost,
        jitter_ms: ending.jitterMs,
        packets_refused: ending.packetsRefused,
        peer_refusals: ending.peerRefusals,
        dialog: null,
        digits: ending.digits,
        hung_up_at: ending.hungUpAt,
        round_trip_ms: ending.roundTripMs,
        mos_estimate: ending.mosEstimate,
        lateness_p50_ms: ending.latenessP50Ms,
        lateness_p99_ms: ending.latenessP99Ms,
      }))
      .where('id', '=', ending.id)
      .where(HAS_NOT_ENDED)
      .returning(['call_seq', 'number', 'trunk_id', 'ringing_at', 'answered_at'])
      .compile(),
  );

/** Nobody cancels the blast between this and the commit: what waits again would not be seen. */
const ruleFinder = ({ db, locks }: Context) => {
  const blastOfCall = prepared(db, ({ seq }: { seq: number }) => {
    const blast = db
      .selectFrom('calls')
      .innerJoin('blasts', 'blasts.id', 'calls.blast_id')
      .innerJoin('queues', 'queues.seq', 'calls.queue_seq')
      .select(['blasts.state', 'blasts.retry', 'blasts.dial_within_ms', 'blasts.application_id', 'destination'])
      .select(['uncounted_attempts', 'dial_by', 'queues.trunk_ids', 'blasts.trunk_ids as all_trunk_ids'])
      .where('calls.seq', '=', seq);
    return locks.own(blast, 'blasts').compile();
  });
  return async (seq: number) => {
    const [row] = (await blastOfCall({ seq })).rows;
    if (!row) throw new Error(`call number ${seq} is of no blast`);
    return {
      blastState: row.state,
      rule: parseJson<RetryRule>(row.retry),
      dialWithinMs: row.dial_within_ms,
      dialBy: row.dial_by,
      applicationId: row.application_id,
      destination: row.destination,
      uncountedAttempts: row.uncounted_attempts,
      trunkIds: parseJson<string[]>(row.trunk_ids),
      allTrunkIds: parseJson<string[]>(row.all_trunk_ids),
    };
  };
};

type CallRule = Awaited<ReturnType<ReturnType<typeof ruleFinder>>>;

/**
 * The call waits again: over the trunks that are left at once, or over all of them after the delay, with as long to be
 * dialled from then on as it had first.
 */
const waiter = (context: Context) => {
  const { db } = context;
  const queueOf = queueFinder(context);
  return async (
    seq: number,
    call: CallRule,
    step: Exclude<NextStep, { kind: 'over' }>,
    trunksLeft: readonly string[],
    endedAt: number,
  ): Promise<void> => {
    const isNextTrunk = step.kind === 'next_trunk';
    const due_at = isNextTrunk ? endedAt : endedAt + step.delaySeconds * 1000;
    const dial_by = isNextTrunk ? call.dialBy : due_at + call.dialWithinMs;
    const queue = await queueOf(call.applicationId, isNextTrunk ? trunksLeft : call.allTrunkIds);
    await db
      .updateTable('calls')
      .set({ state: 'waiting', turn: null, queue_seq: queue.seq, due_at, dial_by })
      .set({ uncounted_attempts: call.uncountedAttempts + (isNextTrunk ? 1 : 0) })
      .where('seq', '=', seq)
      .execute();
    // The phone has heard nothing: it need not rest.
    if (isNextTrunk) await db.deleteFrom('paces').where('id', '=', entryOf.destination(call.destination)).execute();
  };
};

/** Attempts that have not ended, with their calls. */
export const openAttempts = ({ db }: Context) =>
  db.selectFrom('attempts').innerJoin('calls', 'calls.seq', 'attempts.call_seq').where('attempts.ended_at', 'is', null);
