import type { Metrics } from '../domain/metrics.ts';
import { HORIZON_MS } from '../domain/pacing.ts';
import type { RouteHealth } from '../domain/ports.ts';
import { type CarryOptions, createCallsInProgress } from './calls-in-progress.ts';
import { createClaim } from './claim-calls.ts';
import type { DialerHandle } from './dialer-handle.ts';
import { createOverloadPace } from './overload-pace.ts';
import type { SteadyClock } from './steady-clock.ts';
import { STORE_RETRY_MS } from './store-failure.ts';

export interface Dialer extends DialerHandle {
  start(): void;
  /**
   * Takes no new call; resolves when those in progress ended. After `withinMs` they are hung up; whose peer does not
   * answer that within 5 s is left in progress.
   */
  drain(withinMs: number): Promise<void>;
}

export interface DialerOptions extends CarryOptions {
  readonly routeHealth: Pick<RouteHealth, 'trunkState' | 'isDegraded' | 'admission'>;
  /** Whether voice is sent too late for another call: then those that are due wait. */
  readonly isOverloaded: () => boolean;
  /** Calls that this node can have at this moment, those it has included: there are only so many ports for voice. */
  readonly capacity: () => number;
  readonly clock: SteadyClock;
  readonly metrics: CarryOptions['metrics'] & Pick<Metrics, 'noteEndedUndialled'>;
  /** Of all nodes together. */
  readonly maxConcurrentCalls: number;
  readonly callsPerSecond: number;
  readonly destinationSpacingMs: number;
}

/** How soon calls that are due but have no room are looked at again: the rest of the horizon is for slow commits. */
const POLL_MS = HORIZON_MS / 4;
/** How soon there is another claim after two that found nothing, though more was accepted meanwhile. */
const REST_MS = 50;
/** How often it is told that calls wait for ports. */
const WARN_EVERY_MS = 60_000;
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
  let warnAtMs = 0;
  let cancelWake = (): void => {};
  let onSettled = (): void => {};

  const inProgress = createCallsInProgress(options, claims.again, () => {
    onSettled();
    if (!isAhead) wake();
  });

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
      const room = options.capacity() - inProgress.count();
      if (room <= 0) {
        warnFull();
        return POLL_MS;
      }
      const { calls, expired, isFull } = await claims.claim(room);
      metrics.noteEndedUndialled('expired', expired);
      if (expired > 0) log.info({ calls: expired }, 'calls expired');
      isAhead = calls.some(({ dialAtMs }) => dialAtMs > monotonicMs() + HORIZON_MS / 2);
      for (const call of calls) inProgress.begin(call, cancelledEarly.has(call.claimed.attemptId) ? 'cancelled' : null);
      pace.noteDialled(calls.length);
      fruitless = calls.length === 0 ? fruitless + 1 : 0;
      cancelledEarly.clear();
      if (!isFull) return nextLookMs();
    }
  };

  const warnFull = (): void => {
    if (monotonicMs() < warnAtMs) return;
    warnAtMs = monotonicMs() + WARN_EVERY_MS;
    log.warn(
      { calls: inProgress.count() },
      'no RTP port is free: calls wait until one has rested for a minute, widen RINGCAST_RTP_PORTS',
    );
  };

  const nextLookMs = (): Promise<number | null> =>
    store.view(async (views) => {
      const dueAt = await views.nextDueAt();
      const dueInMs = dueAt === null ? Number.POSITIVE_INFINITY : dueAt - (await views.nowMs());
      if (dueInMs > 0) pace.noteNothingDue();
      const delayMs = Math.max(POLL_MS, Math.min(dueInMs, store.isShared ? SHARED_POLL_MS : Number.POSITIVE_INFINITY));
      return delayMs === Number.POSITIVE_INFINITY ? null : delayMs;
    });

  return {
    start() {
      started = true;
      wake();
    },
    wake,
    cancel(attemptIds) {
      for (const attemptId of attemptIds)
        if (!inProgress.end(attemptId, 'cancelled') && turning) cancelledEarly.add(attemptId);
    },
    framesSent: inProgress.framesSent,
    isDraining: () => draining,
    callsPerMinuteOverloaded: () => (options.isOverloaded() ? pace.callsPerMinute() : null),
    async drain(withinMs) {
      draining = true;
      cancelWake();
      let isOver = false;
      let cancelTimer = options.wakeAfter(withinMs, () => {
        inProgress.endAll('interrupted');
        cancelTimer = options.wakeAfter(FAREWELL_MS, () => {
          isOver = true;
          onSettled();
        });
      });
      while ((inProgress.count() > 0 || turning) && !isOver)
        await new Promise<void>((resolve) => {
          onSettled = resolve;
        });
      cancelTimer();
    },
  };
};
