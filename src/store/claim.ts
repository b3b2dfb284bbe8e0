import type { PlaylistItem } from '../domain/blast.ts';
import type { ClaimedCall } from '../domain/call.ts';
import { type ClaimRound, type Queue, type Slot, startRound } from '../domain/claim-round.ts';
import { HORIZON_MS } from '../domain/pacing.ts';
import type { AttemptPlan, CallSlot, ClaimRequest, Transaction } from '../domain/store-port.ts';
import { STILL_WAITING } from './calls.ts';
import {
  forgetter,
  type HeadCall,
  headReader,
  ledgerLock,
  ledgerWriter,
  loadReader,
  queueReader,
  queuesOfAttempts,
  readLedger,
  ripener,
} from './claim-rows.ts';
import type { Context } from './context.ts';
import { requireStanding } from './nodes.ts';
import { padded } from './padded.ts';
import { rowInserter } from './row-inserter.ts';
import { parseJson } from './rows.ts';

/** A call that cannot be dialled for a reason of its own is looked at again after this. */
const LOOK_AGAIN_MS = 500;
/** Calls that one claim looks at over all queues, and of each queue at least. */
const LOOKED_AT = 100;
const LOOKED_AT_OF_EACH = 2;

/** What one claim makes of the calls at the heads of the queues. */
interface Decisions {
  readonly claimed: { readonly call: HeadCall; readonly claimed: ClaimedCall }[];
  /** By the time at which they are looked at again. */
  readonly postponed: Map<number, HeadCall[]>;
}

/**
 * A claim: lock the ledger, read the heads of the queues, decide in memory, write. Each of these is a statement or two,
 * however many calls wait and however many are claimed.
 */
export const claimVerbs = (context: Context): Pick<Transaction, 'claimCalls' | 'takeSlots'> => {
  const lock = ledgerLock(context);
  const ripen = ripener(context);
  const forget = forgetter(context);
  const readQueues = queueReader(context);
  const readLoad = loadReader(context);
  const readHead = headReader(context);
  const writeLedger = ledgerWriter(context);
  const writeClaimed = claimWriter(context);
  return {
    async claimCalls(claim) {
      const now = await context.nowMs();
      await Promise.all([requireStanding(context), lock({})]);
      const [, , queues, inProgress] = await Promise.all([ripen({ now }), forget(now), readQueues(), readLoad()]);
      if (queues.length === 0) return [];
      const limit = Math.max(LOOKED_AT_OF_EACH, Math.floor(LOOKED_AT / queues.length));
      const readHeads = queues.map(({ seq }) => readHead({ queueSeq: seq, now, limit }));
      const [ledger, heads] = await Promise.all([readLedger(context, queues), Promise.all(readHeads)]);
      const round = startRound({ ...claim, now, queues, ledger, inProgress });
      const standing = new Map(heads.map(({ rows }, at) => [queues[at]?.seq ?? 0, rows]));
      const decisions = decide(claim, queues, standing, round, now);
      await postponeCalls(context, decisions.postponed);
      const claimed = await writeClaimed(decisions.claimed);
      if (claimed.length > 0) await writeLedger(round.ledger());
      return claimed;
    },
    async takeSlots(attemptIds, limits) {
      const now = await context.nowMs();
      await lock({});
      const ways = await queuesOfAttempts(context, attemptIds);
      const queues = ways.map(({ queue }) => queue);
      const ledger = await readLedger(context, queues);
      const idle = { heldTrunkIds: [], destinationSpacingMs: 0, inProgress: new Map<string, number>() };
      const round = startRound({ ...limits, ...idle, now, queues, ledger });
      const slots = ways.map(({ queue, trunkId }) => callSlotOf(round.takeLater(queue, trunkId)));
      await writeLedger(round.ledger());
      return slots;
    },
  };
};

const decide = (
  claim: ClaimRequest,
  queues: readonly Queue[],
  standing: ReadonlyMap<number, HeadCall[]>,
  round: ClaimRound,
  now: number,
): Decisions => {
  const decisions: Decisions = { claimed: [], postponed: new Map() };
  const called = new Set<string>();
  while (decisions.claimed.length < claim.limit) {
    const queue = round.next(queues.filter(({ seq }) => (standing.get(seq)?.length ?? 0) > 0));
    const call = queue && standing.get(queue.seq)?.shift();
    if (!queue || !call) break;
    const dialled = called.has(call.destination) ? later(now) : dial(claim, queue, call, round, now);
    if (typeof dialled === 'number') postpone(decisions, call, dialled);
    else decisions.claimed.push({ call, claimed: dialled });
    called.add(call.destination);
  }
  return decisions;
};

/** The call as it is to be dialled, or when to look at it again. */
const dial = (
  claim: ClaimRequest,
  queue: Queue,
  call: HeadCall,
  round: ClaimRound,
  now: number,
): ClaimedCall | number => {
  // A large blast that was cancelled is ended part by part.
  if (call.is_busy || call.blast_state === 'cancelled') return later(now);
  // What is further off was written before the clock was set back, or the spacing changed.
  const restsUntil = call.next_at ?? now;
  if (restsUntil > now && restsUntil <= now + HORIZON_MS + claim.destinationSpacingMs) return stepAfter(restsUntil);
  const plan = claim.plan(queue.trunkIds, call.destination, round.closedTrunks(queue));
  const slot = plan && round.take(queue, plan.trunkId, call.destination);
  return plan && slot !== null ? claimedOf(call, plan, slot) : later(now);
};

const callSlotOf = ({ at, latestAt }: Slot): CallSlot => ({ dialAt: at, dialUntil: latestAt });

const later = (now: number): number => now + LOOK_AGAIN_MS;
/** In steps, so that many calls are written at once. */
const stepAfter = (at: number): number => Math.ceil(at / LOOK_AGAIN_MS) * LOOK_AGAIN_MS;

const postpone = ({ postponed }: Decisions, call: HeadCall, until: number): void => {
  const calls = postponed.get(until);
  if (calls) calls.push(call);
  else postponed.set(until, [call]);
};

const claimedOf = (call: HeadCall, { names, trunkId }: AttemptPlan, slot: Slot): ClaimedCall => ({
  ...names,
  callId: call.id,
  blastId: call.blast_id,
  attemptId: `${call.id}-${call.attempt_count + 1}`,
  attemptNumber: call.attempt_count + 1,
  destination: call.destination,
  trunkId,
  callerId: call.caller_id,
  playlist: parseJson<PlaylistItem[]>(call.playlist),
  silences: parseJson(call.silences),
  ...callSlotOf(slot),
});

const seqsOf = (calls: readonly HeadCall[]): readonly number[] => padded(calls.map(({ seq }) => seq));

const postponeCalls = async ({ db }: Context, postponed: Decisions['postponed']): Promise<void> => {
  for (const [until, calls] of postponed)
    await db
      .updateTable('calls')
      .set({ turn: null, due_at: until })
      .where('state', '=', STILL_WAITING)
      .where('seq', 'in', seqsOf(calls))
      .execute();
};

const ATTEMPT_COLUMNS = {
  id: 'text',
  call_seq: 'bigint',
  number: 'bigint',
  trunk_id: 'text',
  sip_call_id: 'text',
  from_tag: 'text',
  branch: 'text',
  dialled_at: 'bigint',
  packets_sent: 'bigint',
  node_id: 'text',
  application_id: 'text',
} as const;

/** Commits to what is still waiting: what was cancelled or has expired since it was read is left to that. */
const claimWriter = (context: Context) => {
  const { db, nodeId } = context;
  const insertAttempts = rowInserter(context, 'attempts', ATTEMPT_COLUMNS);
  const rowOf = ({ call, claimed: attempt }: Decisions['claimed'][number]) => ({
    id: attempt.attemptId,
    call_seq: call.seq,
    number: attempt.attemptNumber,
    trunk_id: attempt.trunkId,
    sip_call_id: attempt.sipCallId,
    from_tag: attempt.fromTag,
    branch: attempt.branch,
    dialled_at: Math.round(attempt.dialAt),
    packets_sent: 0,
    node_id: nodeId(),
    application_id: call.application_id,
  });
  return async (decided: Decisions['claimed']): Promise<readonly ClaimedCall[]> => {
    if (decided.length === 0) return [];
    const marked = await db
      .updateTable('calls')
      .set((eb) => ({ state: 'dialing', turn: null, attempt_count: eb('attempt_count', '+', 1) }))
      .where('state', '=', STILL_WAITING)
      .where('seq', 'in', seqsOf(decided.map(({ call }) => call)))
      .returning('seq')
      .execute();
    const mine = new Set(marked.map(({ seq }) => seq));
    const claimed = decided.filter(({ call }) => mine.has(call.seq));
    await insertAttempts(claimed.map(rowOf));
    return claimed.map((each) => each.claimed);
  };
};
