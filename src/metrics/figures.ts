import { Gauge, type Registry } from 'prom-client';
import type { VoiceFigures } from '../domain/metrics.ts';
import type { Log, RouteHealth } from '../domain/ports.ts';
import type { Store, Views } from '../domain/store-port.ts';
import type { TrunkState } from '../domain/trunk.ts';
import { MAX_TRUNK_LABELS, OTHER, type TrunkLabel } from './labels.ts';

/** Where the figures come from that are read when they are scraped. */
export interface FigureSources {
  readonly store: Pick<Store, 'view'>;
  readonly routeHealth: Pick<RouteHealth, 'trunkState' | 'isDegraded' | 'registration'>;
  readonly voice: VoiceFigures;
  readonly log: Log;
}

const TRUNK_STATES: readonly TrunkState[] = ['up', 'down', 'unknown'];

/** Gauges of the queue and the trunks, and the function that brings them up to date. Never rejects. */
export const figureReader = (registry: Registry, trunkLabel: TrunkLabel) => {
  const gauges = figureGauges(registry);
  return async ({ store, routeHealth, log }: FigureSources): Promise<void> => {
    try {
      const { waiting, overdueMs, undeliveredMs, trunkIds } = await store.view(readFigures);
      gauges.storeUp.set(1);
      gauges.waiting.set(waiting);
      gauges.overdue.set(overdueMs / 1000);
      gauges.undelivered.set(undeliveredMs / 1000);
      resetTrunks(gauges);
      const labels = new Map(trunkIds.map((id) => [trunkLabel(id), id]));
      labels.delete(OTHER);
      for (const [trunk, id] of labels) setTrunk(gauges, trunk, id, routeHealth);
    } catch (error) {
      // The other metrics are wanted most just now; old figures would lie.
      log.warn({ err: error }, 'the store could not be read for metrics');
      gauges.storeUp.set(0);
      gauges.waiting.remove();
      gauges.overdue.remove();
      gauges.undelivered.remove();
      resetTrunks(gauges);
    }
  };
};

const resetTrunks = ({ trunkState, degraded, registered }: Gauges): void => {
  for (const gauge of [trunkState, degraded, registered]) gauge.reset();
};

const setTrunk = (gauges: Gauges, trunk: string, id: string, routeHealth: FigureSources['routeHealth']): void => {
  const now = routeHealth.trunkState(id);
  for (const state of TRUNK_STATES) gauges.trunkState.set({ trunk, state }, state === now ? 1 : 0);
  gauges.degraded.set({ trunk }, Number(routeHealth.isDegraded(id)));
  const registration = routeHealth.registration(id);
  if (registration) gauges.registered.set({ trunk }, Number(registration.state === 'registered'));
};

/** A counter, an index step for each trunk that is waited for, and one page: bounded however many calls wait. */
const readFigures = async (views: Views) => {
  const dueAt = await views.nextDueAt();
  const queuedAt = await views.oldestUndeliveredAt();
  const trunks = await views.listTrunks({ limit: MAX_TRUNK_LABELS, cursor: null });
  return {
    waiting: await views.countWaiting(),
    overdueMs: dueAt === null ? 0 : Math.max(0, (await views.nowMs()) - dueAt),
    undeliveredMs: queuedAt === null ? 0 : Math.max(0, (await views.nowMs()) - queuedAt),
    trunkIds: trunks.items.map(({ id }) => id),
  };
};

type Gauges = ReturnType<typeof figureGauges>;

const figureGauges = (registry: Registry) => {
  const gauge = <L extends string>(name: string, help: string, labelNames: L[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  return {
    storeUp: gauge('ringcast_store_up', 'Whether the store could be read for this scrape.'),
    waiting: gauge('ringcast_calls_waiting', 'Calls accepted and not yet dialled.'),
    overdue: gauge(
      'ringcast_oldest_waiting_call_age_seconds',
      'How long the oldest waiting call has been due; 0 if none is.',
    ),
    undelivered: gauge(
      'ringcast_oldest_undelivered_event_age_seconds',
      'How long the oldest event that some webhook has not got has been queued; 0 if there is none.',
    ),
    trunkState: gauge('ringcast_trunk_state', 'State of each trunk: 1 for the one it is in.', ['trunk', 'state']),
    degraded: gauge('ringcast_trunk_degraded', 'Whether the trunk carries calls and something is wrong with it.', [
      'trunk',
    ]),
    registered: gauge(
      'ringcast_trunk_registered',
      'Whether we are registered with the trunk; none if we are not to be.',
      ['trunk'],
    ),
  };
};
