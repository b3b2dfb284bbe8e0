import type { RouteHealth } from '../domain/ports.ts';
import type { AttemptPlan } from '../domain/store-port.ts';
import { allowsNumber, type Trunk } from '../domain/trunk.ts';

export interface TrunkSigns {
  readonly isUp: (id: string) => boolean;
  /** Whether its limits let it take a call now; a held trunk is closed too. */
  readonly isOpen: (id: string) => boolean;
  readonly isDegraded: RouteHealth['isDegraded'];
  readonly admission: RouteHealth['admission'];
}

/**
 * Of the trunks that are open and allow the number the first that is up: one that is neither on trial nor degraded if
 * there is any, else one that is not on trial; if none is up, the first. No trunk (`trunkId` null) when dialled directly.
 * Null if all that allow it are closed: the call waits.
 */
export const pickTrunk = (
  ids: readonly string[],
  destination: string,
  trunks: readonly Trunk[],
  { isUp, isOpen, isDegraded, admission }: TrunkSigns,
): Pick<AttemptPlan, 'trunkId'> | null => {
  const able = ids.filter((id) => {
    const trunk = trunks.find((known) => known.id === id);
    return trunk && (!destination.startsWith('+') || allowsNumber(trunk, destination));
  });
  const open = able.filter(isOpen);
  if (able.length > 0 && open.length === 0) return null;
  const up = open.filter(isUp);
  const untried = up.filter((id) => admission(id) === 'open');
  const best = untried.find((id) => !isDegraded(id)) ?? untried[0] ?? up[0];
  return { trunkId: best ?? open[0] ?? ids[0] ?? null };
};
