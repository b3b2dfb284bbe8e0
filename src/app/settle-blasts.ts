import type { Metrics } from '../domain/metrics.ts';
import type { Log, WakeAfter } from '../domain/ports.ts';
import type { Store } from '../domain/store-port.ts';
import type { DialerHandle } from './dialer-handle.ts';

export interface SettleBlastsOptions {
  readonly store: Store;
  readonly dialer: Pick<DialerHandle, 'wake' | 'cancel'>;
  readonly wakeAfter: WakeAfter;
  readonly metrics: Pick<Metrics, 'noteEndedUndialled'>;
  readonly log: Log;
}

export interface SettleBlasts {
  /** A blast was accepted or cancelled. */
  wake(): void;
  stop(): void;
}

/** Blasts that are accepted or cancelled within this time are looked at together. */
const GATHER_MS = 50;
/** How soon a cancel on another node reaches the calls of this one, and what a dead node left unsettled goes on. */
const LOOK_EVERY_MS = 1000;

/**
 * Sees to what a 202 and a cancel leave for later: gives the calls of large blasts their rows and ends those of
 * cancelled ones, part by part so that nothing else waits long; hangs up this node's calls of blasts that were cancelled
 * on another.
 */
export const startSettlingBlasts = ({ store, dialer, wakeAfter, metrics, log }: SettleBlastsOptions): SettleBlasts => {
  let turning = false;
  let turnAgain = false;
  let isHurried = false;
  let stopped = false;
  let cancelLook = (): void => {};

  const plan = (delayMs: number): void => {
    cancelLook();
    isHurried = delayMs < LOOK_EVERY_MS;
    if (!stopped) cancelLook = wakeAfter(delayMs, () => void turn());
  };

  const settle = async (): Promise<void> => {
    for (;;) {
      const { isMore, endedCalls } = await store.transact((tx) => tx.settleBlast());
      metrics.noteEndedUndialled('cancelled', endedCalls);
      if (!isMore || stopped) return;
      dialer.wake();
    }
  };
  const turn = async (): Promise<void> => {
    turning = true;
    turnAgain = false;
    try {
      await settle();
      if (store.isShared) dialer.cancel(await store.view((views) => views.listCancelledAttempts()));
    } catch (error) {
      log.warn({ err: error }, 'large or cancelled blasts not settled yet');
    }
    turning = false;
    plan(turnAgain ? GATHER_MS : LOOK_EVERY_MS);
  };

  void turn();
  return {
    wake() {
      if (turning) turnAgain = true;
      else if (!isHurried) plan(GATHER_MS);
    },
    stop() {
      stopped = true;
      cancelLook();
    },
  };
};
