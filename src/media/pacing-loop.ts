import type { WakeAfter } from '../domain/ports.ts';

/** Something that has work at deadlines on a monotonic clock. */
export interface PacedCall {
  /** When there is work next. */
  readonly dueMs: number;
  /** Does what is due now; false once there will be no more work. */
  step(nowMs: number): boolean;
}

export interface PacingLoop {
  /** Steps the call at once, then at its deadlines until it is done or removed. */
  add(call: PacedCall): void;
  remove(call: PacedCall): void;
}

/**
 * Steps calls at absolute deadlines, with one timer set for the earliest. Lateness of a wake-up is the calls' own
 * affair (see `rtp/playout.ts`): each is stepped at most once a wake-up, so none can burst.
 */
export const createPacingLoop = (nowMs: () => number, wakeAfter: WakeAfter): PacingLoop => {
  const calls = new Set<PacedCall>();
  let disarm = (): void => {};

  const arm = (): void => {
    disarm();
    let earliestMs = Number.POSITIVE_INFINITY;
    for (const call of calls) earliestMs = Math.min(earliestMs, call.dueMs);
    disarm = calls.size === 0 ? () => {} : wakeAfter(Math.max(0, earliestMs - nowMs()), wake);
  };

  const stepIfDue = (call: PacedCall): void => {
    const now = nowMs();
    if (call.dueMs <= now && !call.step(now)) calls.delete(call);
  };

  const wake = (): void => {
    for (const call of calls) stepIfDue(call);
    arm();
  };

  return {
    add(call) {
      calls.add(call);
      stepIfDue(call);
      arm();
    },
    remove(call) {
      calls.delete(call);
      arm();
    },
  };
};
