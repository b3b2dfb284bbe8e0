import type { ClaimedCall } from '../domain/call.ts';
import type { RandomSource, RouteHealth } from '../domain/ports.ts';
import type { AttemptPlan, Store } from '../domain/store-port.ts';
import type { Trunk } from '../domain/trunk.ts';
import type { DialLimits } from './dial-limits.ts';
import { listAll } from './list-all.ts';
import { pickTrunk } from './pick-trunk.ts';

export interface ClaimOptions {
  readonly store: Store;
  readonly limits: DialLimits;
  readonly routeHealth: Pick<RouteHealth, 'trunkState' | 'isDegraded' | 'admission'>;
  readonly random: RandomSource;
  readonly monotonicMs: () => number;
}

/** What one claim committed, under at most `limit` calls. */
export interface Claim {
  readonly claimed: readonly ClaimedCall[];
  readonly trunks: readonly Trunk[];
  /** Calls that ended `expired`. */
  readonly expired: number;
  readonly limit: number;
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
      const { limits, routeHealth, monotonicMs } = options;
      const trunks = await listAll((page) => tx.listTrunks(page));
      limits.setTrunks(trunks.map((trunk) => asAdmitted(trunk, routeHealth)));
      const expired = await tx.expireCalls();
      const limit = Math.min(MAX_CLAIM, limits.room(monotonicMs()));
      const saturatedTrunkIds = limits.saturated(monotonicMs());
      const claimed = await tx.claimCalls({
        limit,
        saturatedTrunkIds,
        heldTrunkIds: trunks.map(({ id }) => id).filter((id) => routeHealth.admission(id) === 'held'),
        plan: (ids, destination) => plan(ids, destination, trunks, saturatedTrunkIds, options),
      });
      return { claimed, trunks, expired, limit };
    });

const plan = (
  ids: readonly string[],
  destination: string,
  trunks: readonly Trunk[],
  saturated: readonly string[],
  { routeHealth, random }: ClaimOptions,
): AttemptPlan | null => {
  const { trunkState, isDegraded, admission } = routeHealth;
  const isFit = (id: string): boolean => trunkState(id) !== 'down' && !saturated.includes(id);
  const picked = pickTrunk(ids, destination, trunks, { isFit, isDegraded, admission });
  return picked && { ...picked, names: newNames(random) };
};

/** A trunk on trial gets one call at a time. */
const asAdmitted = (trunk: Trunk, { admission }: ClaimOptions['routeHealth']): Trunk =>
  admission(trunk.id) === 'trial' ? { ...trunk, maxConcurrentCalls: 1 } : trunk;

const newNames = (random: RandomSource): AttemptPlan['names'] => ({
  sipCallId: random.hex(16),
  fromTag: random.hex(8),
  branch: `z9hG4bK${random.hex(12)}`,
});
