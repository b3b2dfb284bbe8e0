import type { ClaimedCall } from '../domain/call.ts';
import type { CallLimits } from '../domain/claim-round.ts';
import { offsetAfter } from '../domain/clock-offset.ts';
import type { RandomSource, RouteHealth } from '../domain/ports.ts';
import type { AttemptPlan, CallSlot, ClaimRequest, Store, Transaction } from '../domain/store-port.ts';
import type { Trunk } from '../domain/trunk.ts';
import { gather } from './gather.ts';
import { listAll } from './list-all.ts';
import { pickTrunk } from './pick-trunk.ts';
import type { SteadyClock } from './steady-clock.ts';

export interface ClaimOptions {
  readonly store: Store;
  readonly routeHealth: Pick<RouteHealth, 'trunkState' | 'isDegraded' | 'admission'>;
  readonly random: RandomSource;
  readonly monotonicMs: () => number;
  readonly clock: SteadyClock;
  /** Of all nodes together. */
  readonly maxConcurrentCalls: number;
  readonly callsPerSecond: number;
  readonly destinationSpacingMs: number;
}

/** When to dial, by the monotonic clock. */
export interface DialTime {
  readonly dialAtMs: number;
  /** From then on another time is to be asked for. */
  readonly dialUntilMs: number;
}

/** What one claim committed. */
export interface Claim {
  readonly calls: readonly (DialTime & { readonly claimed: ClaimedCall; readonly trunk: Trunk | null })[];
  /** Calls that ended `expired`. */
  readonly expired: number;
  /** It took all that one claim may: there may be more. */
  readonly isFull: boolean;
}

/** One claim commits at most this many attempts, so that the accepts that share its commit are not held up. */
const MAX_CLAIM = 50;

export interface ClaimCalls {
  /**
   * Claims the due calls that there is room for, in one transaction, which ends those that are past their dial-by time.
   * The trunks are read with the calls, so that no call meets trunks older than itself. At most `atMost` of them.
   */
  claim(atMost: number): Promise<Claim>;
  /** Another time for a call that was late. */
  again(attemptId: string): Promise<DialTime>;
}

export const createClaim = (options: ClaimOptions): ClaimCalls => {
  const { store, routeHealth, monotonicMs, clock, maxConcurrentCalls, callsPerSecond, destinationSpacingMs } = options;
  let offsetMs = 0;
  const readClock = async (tx: Transaction): Promise<number> => {
    const beforeMs = monotonicMs();
    const now = await tx.nowMs();
    offsetMs = offsetAfter(offsetMs, now, beforeMs, monotonicMs());
    return now;
  };
  const timeOf = ({ dialAt, dialUntil }: CallSlot): DialTime => ({
    dialAtMs: dialAt - offsetMs,
    dialUntilMs: dialUntil === null ? Number.POSITIVE_INFINITY : dialUntil - offsetMs,
  });
  const limitsIn = (trunks: readonly Trunk[]): Pick<ClaimRequest, 'server' | 'trunks'> => ({
    server: { maxConcurrentCalls, callsPerSecond },
    trunks: new Map(trunks.map((trunk) => [trunk.id, limitsOf(trunk, routeHealth)])),
  });
  const readTrunks = (tx: Transaction): Promise<readonly Trunk[]> => listAll((page) => tx.listTrunks(page));

  /** Null if the time is not to be believed. */
  const claimIn = (limit: number): Promise<Claim | null> =>
    store.transact(async (tx) => {
      if (!clock.isSteady(await readClock(tx))) return null;
      const trunks = await readTrunks(tx);
      const expired = await tx.expireCalls();
      const claimed = await tx.claimCalls({
        ...limitsIn(trunks),
        limit,
        heldTrunkIds: trunks.map(({ id }) => id).filter((id) => routeHealth.admission(id) === 'held'),
        destinationSpacingMs,
        plan: (ids, destination, closed) => plan(ids, destination, closed, trunks, options),
      });
      const trunkOf = (id: string | null) => trunks.find((trunk) => trunk.id === id) ?? null;
      const calls = claimed.map((call) => ({ claimed: call, trunk: trunkOf(call.trunkId), ...timeOf(call) }));
      return { calls, expired, isFull: calls.length === limit };
    });

  /** Those that are late together ask together: each transaction of its own would hold up the claims, and the next call. */
  const again = gather(
    (attemptIds: readonly string[]) =>
      store.transact(async (tx) => {
        await readClock(tx);
        return (await tx.takeSlots(attemptIds, limitsIn(await readTrunks(tx)))).map(timeOf);
      }),
    () => null,
    1,
  );

  return {
    async claim(atMost) {
      const claim = await claimIn(Math.min(MAX_CLAIM, atMost));
      if (claim) return claim;
      await clock.repair();
      return { calls: [], expired: 0, isFull: true };
    },
    again,
  };
};

const plan = (
  ids: readonly string[],
  destination: string,
  closed: readonly string[],
  trunks: readonly Trunk[],
  { routeHealth, random }: ClaimOptions,
): AttemptPlan | null => {
  const { trunkState, isDegraded, admission } = routeHealth;
  const isUp = (id: string): boolean => trunkState(id) !== 'down';
  const isOpen = (id: string): boolean => !closed.includes(id);
  const picked = pickTrunk(ids, destination, trunks, { isUp, isOpen, isDegraded, admission });
  return picked && { ...picked, names: newNames(random) };
};

/** A trunk on trial gets one call at a time. */
const limitsOf = (trunk: Trunk, { admission }: ClaimOptions['routeHealth']): CallLimits =>
  admission(trunk.id) === 'trial' ? { ...trunk, maxConcurrentCalls: 1 } : trunk;

const newNames = (random: RandomSource): AttemptPlan['names'] => ({
  sipCallId: random.hex(16),
  fromTag: random.hex(8),
  branch: `z9hG4bK${random.hex(12)}`,
});
