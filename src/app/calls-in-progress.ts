import type { AttemptResult, ClaimedCall } from '../domain/call.ts';
import type { Metrics } from '../domain/metrics.ts';
import type { CallProgress, Log, PlaceCall, PlacedCall, RandomSource, WakeAfter } from '../domain/ports.ts';
import type { Store } from '../domain/store-port.ts';
import type { Trunk } from '../domain/trunk.ts';
import { logDialled, logProgress, notDialled, orderOf, whyNotDial } from './call-order.ts';
import type { Claim, ClaimCalls, DialTime } from './claim-calls.ts';
import type { ClipCache } from './clip-cache.ts';
import { createRecordOutcome } from './record-outcome.ts';
import { recordProgress } from './record-progress.ts';
import { isStoreFailure, storeRetry } from './store-failure.ts';

export interface CarryOptions {
  readonly store: Store;
  /** Whether this node's lease holds. */
  readonly mayDial: () => boolean;
  readonly placeCall: PlaceCall;
  readonly clips: ClipCache;
  readonly random: RandomSource;
  readonly wakeAfter: WakeAfter;
  readonly monotonicMs: () => number;
  readonly metrics: Pick<Metrics, 'noteAttempt' | 'noteAnswer' | 'noteOutcome'>;
  readonly log: Log;
  readonly ringTimeoutMs: number;
}

type Ending = 'cancelled' | 'interrupted';

/** Claimed calls, each from its claim until its outcome is committed. */
export interface CallsInProgress {
  begin(call: Claim['calls'][number], ending: Ending | null): void;
  /** Hangs up, or does not even dial; false if there is no such call. */
  end(attemptId: string, ending: Ending): boolean;
  endAll(ending: Ending): void;
  count(): number;
  framesSent(attemptId: string): readonly number[] | null;
}

interface CallInProgress {
  readonly claimed: ClaimedCall;
  readonly trunk: Trunk | null;
  time: DialTime;
  placed: PlacedCall | null;
  ending: Ending | null;
  answeredAtMs: number | null;
  /** Resolves when what was told of it so far is committed. */
  recorded: Promise<void>;
}

/** Slots of one call that may pass; a machine that is late so often dials late. */
const MAX_SLOTS = 5;

/** Places calls in their slots and records how they ended: an outcome is tried until the store takes it. */
export const createCallsInProgress = (
  options: CarryOptions,
  again: ClaimCalls['again'],
  onEnded: () => void,
): CallsInProgress => {
  const { log, metrics, monotonicMs } = options;
  const recordOutcome = createRecordOutcome(options);
  const inProgress = new Map<string, CallInProgress>();

  const place = async (call: CallInProgress): Promise<AttemptResult> => {
    const reason = whyNotDial(call.claimed, call.trunk);
    if (reason !== null) return notDialled(call.claimed, 'failed', reason);
    const order = await persist(call, () => orderOf(call.claimed, call.trunk, options));
    if (order) await slot(call);
    if (call.ending || !order) return notDialled(call.claimed, 'cancelled', null);
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
      const time = await persist(call, () => again(call.claimed.attemptId));
      if (!time) return;
      call.time = time;
    }
  };

  /** Asks until the store answers, for a database that is away ends no call; null if the call ends meanwhile. */
  const persist = async <T>(call: CallInProgress, ask: () => Promise<T>): Promise<T | null> => {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!isStoreFailure(error)) throw error;
        log.warn({ err: error, attemptId: call.claimed.attemptId }, 'a call waits for the database');
        await storeRetry(options.wakeAfter);
        if (call.ending) return null;
      }
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
    onEnded();
  };

  return {
    begin({ claimed, trunk, ...time }, ending) {
      metrics.noteAttempt(claimed.trunkId);
      const recorded = Promise.resolve();
      const call: CallInProgress = { claimed, trunk, time, placed: null, ending, answeredAtMs: null, recorded };
      inProgress.set(claimed.attemptId, call);
      void place(call)
        .catch((error: unknown) => failed(claimed, error))
        .then((result) => finish(call, result));
    },
    end: (attemptId, ending) => {
      const call = inProgress.get(attemptId);
      if (call) endCall(call, ending);
      return call !== undefined;
    },
    endAll(ending) {
      for (const call of inProgress.values()) endCall(call, ending);
    },
    count: () => inProgress.size,
    framesSent: (attemptId) => inProgress.get(attemptId)?.placed?.framesSent() ?? null,
  };
};

const endCall = (call: CallInProgress, ending: Ending): void => {
  if (call.ending) return;
  call.ending = ending;
  call.placed?.cancel();
};
