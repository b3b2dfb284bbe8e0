import type { AttemptResult, ClaimedCall } from '../domain/call.ts';
import type { Metrics } from '../domain/metrics.ts';
import { HORIZON_MS } from '../domain/pacing.ts';
import type {
  CallProgress,
  Log,
  PlaceCall,
  PlacedCall,
  RandomSource,
  RouteHealth,
  WakeAfter,
} from '../domain/ports.ts';
import type { Store } from '../domain/store-port.ts';
import type { Trunk } from '../domain/trunk.ts';
import { logDialled, logProgress, notDialled, orderOf, whyNotDial } from './call-order.ts';
import { type Claim, createClaim, type DialTime } from './claim-calls.ts';
import type { ClipCache } from './clip-cache.ts';
import type { DialerHandle } from './dialer-handle.ts';
import { createOverloadPace } from './overload-pace.ts';
import { createRecordOutcome, STORE_RETRY_MS } from './record-outcome.ts';
import { recordProgress } from './record-progress.ts';
import type { SteadyClock } from './steady-clock.ts';

export interface Dialer extends DialerHandle {
  start(): void;
  /**
   * Takes no new call; resolves when those in progress ended. After `withinMs` they are hung up; whose peer does not
   * answer that within 5 s is left in progress.
   */
  drain(withinMs: number): Promise<void>;
}

export interface DialerOptions {
  readonly store: Store;
  /** Whether this node's lease holds. */
  readonly mayDial: () => boolean;
  readonly placeCall: PlaceCall;
  readonly routeHealth: Pick<RouteHealth, 'trunkState' | 'isDegraded' | 'admission'>;
  /** Whether voice is sent too late for another call: then those that are due wait. */
  readonly isOverloaded: () => boolean;
  readonly clips: ClipCache;
  readonly random: RandomSource;
  readonly wakeAfter: WakeAfter;
  readonly monotonicMs: () => number;
  readonly clock: SteadyClock;
  readonly metrics: Pick<Metrics, 'noteAttempt' | 'noteAnswer' | 'noteOutcome' | 'noteEndedUndialled'>;
  readonly log: Log;
  /** Of all nodes together. */
  readonly maxConcurrentCalls: number;
  readonly callsPerSecond: number;
  readonly destinationSpacingMs: number;
  readonly ringTimeoutMs: number;
}

/** A claimed call until its outcome is committed. */
interface CallInProgress {
  readonly claimed: ClaimedCall;
  readonly trunk: Trunk | null;
  time: DialTime;
  placed: PlacedCall | null;
  ending: 'cancelled' | 'interrupted' | null;
  answeredAtMs: number | null;
  /** Resolves when what was told of it so far is committed. */
  recorded: Promise<void>;
}

/** How soon calls that are due but have no room are looked at again: the rest of the horizon is for slow commits. */
const POLL_MS = HORIZON_MS / 4;
/** How soon there is another claim after two that found nothing, though more was accepted meanwhile. */
const REST_MS = 50;
/** Slots of one call that may pass; a machine that is late so often dials late. */
const MAX_SLOTS = 5;
/** How soon what other nodes have accepted is looked for. */
const SHARED_POLL_MS = 1000;
/** How long calls that are hung up at the end of a drain may wait for the peer's answer: some repeats of BYE. */
const FAREWELL_MS = 5000;

/**
 * Claims due calls as the limits allow, places them, records how they ended. A claim commits the attempt before the
 * first octet is sent; an outcome is tried until the store takes it.
 */
export const createDialer = (options: DialerOptions): Dialer => {
  const { store, log, metrics, monotonicMs } = options;
  const claims = createClaim(options);
  const pace = createOverloadPace(monotonicMs);
  const recordOutcome = createRecordOutcome(options);
  const inProgress = new Map<string, CallInProgress>();
  /** Cancelled while their claim was being committed, so before they were known here. */
  const cancelledEarly = new Set<string>();
  let turning = false;
  let turnAgain = false;
  let fruitless = 0;
  /** Whether the last claim gave slots far ahead: pace, and not room, holds up the others, so no end of a call helps. */
  let isAhead = false;
  let isResting = false;
  let started = false;
  let draining = false;
  let cancelWake = (): void => {};
  let onSettled = (): void => {};

  const wake = (): void => {
    if (!started || draining) return;
    if (turning) turnAgain = true;
    else if (!isResting) void turn();
  };

  const turn = async (): Promise<void> => {
    turning = true;
    turnAgain = false;
    cancelWake();
    const delayMs = await dialDue().catch((error: unknown) => {
      log.error({ err: error }, 'could not claim calls');
      fruitless += 1;
      return STORE_RETRY_MS;
    });
    turning = false;
    onSettled();
    isResting = turnAgain && fruitless > 1;
    if (isResting) wakeIn(REST_MS);
    else if (turnAgain) wake();
    else if (delayMs !== null) wakeIn(delayMs);
  };

  const wakeIn = (delayMs: number): void => {
    if (draining) return;
    cancelWake = options.wakeAfter(delayMs, () => {
      isResting = false;
      wake();
    });
  };

  /** Dials while there is room and something due; how long until the next look, or null if nothing waits. */
  const dialDue = async (): Promise<number | null> => {
    for (;;) {
      if (!options.mayDial()) return STORE_RETRY_MS;
      if (draining) return POLL_MS;
      if (options.isOverloaded()) {
        pace.noteHeld();
        return POLL_MS;
      }
      const { calls, expired, isFull } = await claims.claim();
      metrics.noteEndedUndialled('expired', expired);
      if (expired > 0) log.info({ calls: expired }, 'calls expired');
      isAhead = calls.some(({ dialAtMs }) => dialAtMs > monotonicMs() + HORIZON_MS / 2);
      calls.forEach(begin);
      pace.noteDialled(calls.length);
      fruitless = calls.length === 0 ? fruitless + 1 : 0;
      cancelledEarly.clear();
      if (!isFull) return nextLookMs();
    }
  };

  const nextLookMs = (): Promise<number | null> =>
    store.view(async (views) => {
      const dueAt = await views.nextDueAt();
      const dueInMs = dueAt === null ? Number.POSITIVE_INFINITY : dueAt - (await views.nowMs());
      if (dueInMs > 0) pace.noteNothingDue();
      const delayMs = Math.max(POLL_MS, Math.min(dueInMs, store.isShared ? SHARED_POLL_MS : Number.POSITIVE_INFINITY));
      return delayMs === Number.POSITIVE_INFINITY ? null : delayMs;
    });

  const begin = ({ claimed, trunk, ...time }: Claim['calls'][number]): void => {
    metrics.noteAttempt(claimed.trunkId);
    const ending = cancelledEarly.has(claimed.attemptId) ? 'cancelled' : null;
    const recorded = Promise.resolve();
    const call: CallInProgress = { claimed, trunk, time, placed: null, ending, answeredAtMs: null, recorded };
    inProgress.set(claimed.attemptId, call);
    void place(call)
      .catch((error: unknown) => failed(claimed, error))
      .then((result) => finish(call, result));
  };

  const place = async (call: CallInProgress): Promise<AttemptResult> => {
    const reason = whyNotDial(call.claimed, call.trunk);
    if (reason !== null) return notDialled(call.claimed, 'failed', reason);
    const order = await orderOf(call.claimed, call.trunk, options);
    await slot(call);
    if (call.ending) return notDialled(call.claimed, 'cancelled', null);
    // Asked when nothing more is waited for: another node may go on with what this one has claimed.
    if (!options.mayDial()) return notDialled(call.claimed, 'interrupted', 'The lease of this node ran out');
    logDialled(log, call.claimed);
    call.placed = options.placeCall(order, (progress) => noteProgress(call, progress));
    return call.placed.result;
  };

  /** Waits for the call's slot. If that has passed, as after a pause of this process, for another one. */
  const slot = async (call: CallInProgress): Promise<void> => {
    for (let late = 0; ; late++) {
      const delayMs = call.time.dialAtMs - monotonicMs();
      if (delayMs > 0) await new Promise<void>((resolve) => void options.wakeAfter(delayMs, resolve));
      if (call.ending || monotonicMs() <= call.time.dialUntilMs || late === MAX_SLOTS) return;
      call.time = await claims.again(call.claimed.attemptId);
    }
  };

  const failed = (claimed: ClaimedCall, error: unknown): AttemptResult => {
    log.error({ err: error, attemptId: claimed.attemptId }, 'call could not be placed');
    return notDialled(claimed, 'failed', 'Internal error: see the log');
  };

  const noteProgress = (call: CallInProgress, progress: CallProgress): void => {
    const { attemptId, trunkId } = call.claimed;
    const atMs = monotonicMs();
    if (progress.kind === 'answered') {
      call.answeredAtMs = atMs;
      metrics.noteAnswer(trunkId);
    }
    logProgress(log, attemptId, progress);
    // One after the other: what comes later would end what came before.
    call.recorded = call.recorded.then(() => recordProgress(options, attemptId, progress, atMs));
  };

  const finish = async (call: CallInProgress, ended: AttemptResult): Promise<void> => {
    const { attemptId, trunkId } = call.claimed;
    const endedAtMs = monotonicMs();
    const interrupted = call.ending === 'interrupted' && ended.outcome === 'cancelled';
    const result: AttemptResult = interrupted ? { ...ended, outcome: 'interrupted' } : ended;
    log.info({ attemptId, trunkId, outcome: result.outcome, sipStatus: result.sipStatus }, 'call ended');
    const answeredForMs = call.answeredAtMs === null ? null : endedAtMs - call.answeredAtMs;
    await call.recorded;
    const callEnded = await recordOutcome({ attemptId, result, endedAtMs });
    metrics.noteOutcome({ trunkId, outcome: result.outcome, answeredForMs, callEnded });
    inProgress.delete(attemptId);
    onSettled();
    if (!isAhead) wake();
  };

  const end = (attemptId: string, ending: 'cancelled' | 'interrupted'): void => {
    const call = inProgress.get(attemptId);
    if (!call) return void (turning && cancelledEarly.add(attemptId));
    if (call.ending) return;
    call.ending = ending;
    call.placed?.cancel();
  };

  return {
    start() {
      started = true;
      wake();
    },
    wake,
    cancel(attemptIds) {
      for (const attemptId of attemptIds) end(attemptId, 'cancelled');
    },
    framesSent: (attemptId) => inProgress.get(attemptId)?.placed?.framesSent() ?? null,
    isDraining: () => draining,
    callsPerMinuteOverloaded: () => (options.isOverloaded() ? pace.callsPerMinute() : null),
    async drain(withinMs) {
      draining = true;
      cancelWake();
      let isOver = false;
      let cancelTimer = options.wakeAfter(withinMs, () => {
        for (const attemptId of inProgress.keys()) end(attemptId, 'interrupted');
        cancelTimer = options.wakeAfter(FAREWELL_MS, () => {
          isOver = true;
          onSettled();
        });
      });
      while ((inProgress.size > 0 || turning) && !isOver)
        await new Promise<void>((resolve) => {
          onSettled = resolve;
        });
      cancelTimer();
    },
  };
};
