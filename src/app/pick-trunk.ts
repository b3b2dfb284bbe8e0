import type { RouteHealth } from '../domain/ports.ts';
import type { AttemptPlan } from '../domain/store-port.ts';
import { allowsNumber, type Trunk } from '../domain/trunk.ts';

/**
 * The first trunk that is fit and allows the number, one that is neither on trial nor degraded if there is any, else one
 * that is not on trial; if none is fit, the first that allows it. No trunk (`trunkId` null) when dialled directly. Null if all that allow it are held: the call waits.
 */
export const pickTrunk = (
  ids: readonly string[],
  destination: string,
  trunks: readonly Trunk[],
  how: {
    isFit: (id: string) => boolean;
    isDegraded: RouteHealth['isDegraded'];
    admission: RouteHealth['admission'];
  },
): Pick<AttemptPlan, 'trunkId'> | null => {
  const able = ids.filter((id) => {
    const trunk = trunks.find((known) => known.id === id);
    return trunk && (!destination.startsWith('+') || allowsNumber(trunk, destination));
  });
  const open = able.filter((id) => how.admission(id) !== 'held');
  if (able.length > 0 && open.length === 0) return null;
  const fit = open.filter(how.isFit);
  const untried = fit.filter((id) => how.admission(id) === 'open');
  const best = untried.find((id) => !how.isDegraded(id)) ?? untried[0] ?? fit[0];
  return { trunkId: best ?? open[0] ?? ids[0] ?? null };
};
