import type { ClaimedCall } from '../domain/call.ts';
import type { CallLimits } from '../domain/claim-round.ts';
import type { RandomSource, RouteHealth } from '../domain/ports.ts';
import type { AttemptPlan, Store } from '../domain/store-port.ts';
import type { Trunk } from '../domain/trunk.ts';
import { listAll } from './list-all.ts';
import { pickTrunk } from './pick-trunk.ts';

export interface ClaimOptions {
  readonly store: Store;
  readonly routeHealth: Pick<RouteHealth, 'trunkState' | 'admission'>;
  readonly random: RandomSource;
  readonly monotonicMs: () => number;
  /** Of all nodes together. */
  readonly maxConcurrentCalls: number;
  readonly callsPerSecond: number;
  readonly destinationSpacingMs: number;
}

/** What one claim committed. */
export interface Claim {
  readonly calls: readonly { readonly claimed: ClaimedCall; readonly trunk: Trunk | null; readonly dialAtMs: number }[];
  /** Calls that ended `expired`. */
  readonly expired: number;
  /** It took all that one claim may: there may be more. */
  readonly isFull: boolean;
}

/** One claim commits at most this many attempts, so that the accepts that share its commit are not held up. */
const MAX_CLAIM = 50;

/**
 * Claims the due calls that there is room for, in one transaction, which ends those that are past their dial-by time.
 * The trunks are read with the calls, so that no call meets trunks older than itself.
 */
export const createClaim =
  (options: ClaimOptions): (() => Promise<Claim>) =>
  () =>
    options.store.transact(async (tx) => {
      const { routeHealth, monotonicMs, maxConcurrentCalls, callsPerSecond, destinationSpacingMs } = options;
      // Slots are times of the database's clock: how far off they are counts from here.
      const nowMs = monotonicMs();
      const now = await tx.nowMs();
      const trunks = await listAll((page) => tx.listTrunks(page));
      const expired = await tx.expireCalls();
      const claimed = await tx.claimCalls({
        limit: MAX_CLAIM,
        server: { maxConcurrentCalls, callsPerSecond },
        trunks: new Map(trunks.map((trunk) => [trunk.id, limitsOf(trunk, routeHealth)])),
        heldTrunkIds: trunks.map(({ id }) => id).filter((id) => routeHealth.admission(id) === 'held'),
        destinationSpacingMs,
        plan: (ids, destination, closed) => plan(ids, destination, closed, trunks, options),
      });
      const calls = claimed.map((call) => ({
        claimed: call,
        trunk: trunks.find(({ id }) => id === call.trunkId) ?? null,
        dialAtMs: nowMs + call.dialAt - now,
      }));
      return { calls, expired, isFull: calls.length === MAX_CLAIM };
    });

const plan = (
  ids: readonly string[],
  destination: string,
  closed: readonly string[],
  trunks: readonly Trunk[],
  { routeHealth, random }: ClaimOptions,
): AttemptPlan | null => {
  const { trunkState, admission } = routeHealth;
  const isUp = (id: string): boolean => trunkState(id) !== 'down';
  const isOpen = (id: string): boolean => !closed.includes(id);
  const picked = pickTrunk(ids, destination, trunks, { isUp, isOpen, admission });
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
