import type { Log } from '../domain/ports.ts';
import type { Store, Transaction } from '../domain/store-port.ts';

/**
 * Sees that the clock by which calls wait, expire and are tried again goes on as time does, whatever becomes of the clock
 * of the database's machine (ADR 35).
 */
export interface SteadyClock {
  /** Whether the time that a unit of work just read goes on from those before; if not, nothing is to be decided by it. */
  isSteady(nowMs: number): boolean;
  /** Takes a jump out of the clock, unless another node has. */
  repair(): Promise<void>;
}

export interface SteadyClockOptions {
  readonly store: Pick<Store, 'transact' | 'isShared'>;
  /** Monotonic, and counts the time in which the machine slept. */
  readonly uptimeMs: () => number;
  readonly log: Log;
}

/** Clocks that are set right by less do no harm. */
const TOLERANCE_MS = 5000;
/** Who sees the jump that it took out put back so soon believes it: only itself had slept, and the others know better. */
const BELIEVES_FOR_MS = 60_000;

export const createSteadyClock = ({ store, uptimeMs, log }: SteadyClockOptions): SteadyClock => {
  /** The database's clock at uptime 0; null before the first reading. */
  let offsetMs: number | null = null;
  let repaired = { jumpMs: 0, atMs: Number.NEGATIVE_INFINITY };

  /** By how much a time that was read between two uptimes is off; 0 if it may be right. */
  const jumpOf = (nowMs: number, beforeMs: number, afterMs: number): number => {
    if (offsetMs === null) return 0;
    const [most, least] = [nowMs - offsetMs - beforeMs, nowMs - offsetMs - afterMs];
    if (least > TOLERANCE_MS) return Math.round(least);
    return most < -TOLERANCE_MS ? Math.round(most) : 0;
  };
  const follow = (nowMs: number): void => {
    offsetMs = nowMs - uptimeMs();
  };
  const isPutBack = (jumpMs: number, atMs: number): boolean =>
    store.isShared && atMs - repaired.atMs < BELIEVES_FOR_MS && Math.abs(jumpMs - repaired.jumpMs) < TOLERANCE_MS;
  const takeOut = async (tx: Transaction): Promise<number> => {
    const beforeMs = uptimeMs();
    const nowMs = await tx.lockClock();
    const afterMs = uptimeMs();
    const jumpMs = jumpOf(nowMs, beforeMs, afterMs);
    if (jumpMs === 0) return 0;
    if (isPutBack(jumpMs, afterMs)) {
      follow(nowMs);
      return 0;
    }
    await tx.setClockBack(jumpMs);
    return jumpMs;
  };

  return {
    isSteady(nowMs) {
      const atMs = uptimeMs();
      if (jumpOf(nowMs, atMs, atMs) !== 0) return false;
      follow(nowMs);
      return true;
    },
    async repair() {
      const jumpMs = await store.transact(takeOut);
      if (jumpMs === 0) return;
      repaired = { jumpMs, atMs: uptimeMs() };
      await store.transact((tx) => tx.readClock());
      log.warn({ jumpMs }, 'the clock of the database was set: calls wait and expire as if it had not been');
    },
  };
};
