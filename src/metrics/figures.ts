import { Gauge, type Registry } from 'prom-client';
import type { CallLimits } from '../domain/claim-round.ts';
import type { VoiceFigures } from '../domain/metrics.ts';
import type { Log, RouteHealth } from '../domain/ports.ts';
import type { Store, Views } from '../domain/store-port.ts';
import type { Trunk, TrunkState } from '../domain/trunk.ts';
import { ALL, MAX_TRUNK_LABELS, OTHER, type TrunkLabel } from './labels.ts';

/** Where the figures come from that are read when they are scraped. */
export interface FigureSources {
  readonly store: Pick<Store, 'view'>;
  readonly routeHealth: Pick<RouteHealth, 'trunkState' | 'isDegraded' | 'registration'>;
  readonly voice: VoiceFigures;
  readonly log: Log;
  readonly serverLimits: CallLimits;
}

const TRUNK_STATES: readonly TrunkState[] = ['up', 'down', 'unknown'];
const STATES_IN_PROGRESS = ['dialing', 'ringing', 'playing'];

/** Gauges of the queue and the trunks, and the function that brings them up to date. Never rejects. */
export const figureReader = (registry: Registry, trunkLabel: TrunkLabel) => {
  const gauges = figureGauges(registry);
  return async ({ store, routeHealth, log, serverLimits }: FigureSources): Promise<void> => {
    try {
      const { waiting, inProgress, overdueMs, undeliveredMs, trunks } = await store.view(readFigures);
      gauges.storeUp.set(1);
      gauges.waiting.set(waiting);
      gauges.calls.set({ state: 'waiting' }, waiting);
      for (const state of STATES_IN_PROGRESS) gauges.calls.set({ state }, inProgress.get(state) ?? 0);
      gauges.overdue.set(overdueMs / 1000);
      gauges.undelivered.set(undeliveredMs / 1000);
      resetTrunks(gauges);
      const labels = new Map(trunks.map((trunk) => [trunkLabel(trunk.id), trunk]));
      labels.delete(OTHER);
      for (const [label, trunk] of labels) setTrunk(gauges, label, trunk, routeHealth);
      setLimits(gauges, ALL, serverLimits);
    } catch (error) {
      // The other metrics are wanted most just now; old figures would lie.
      log.warn({ err: error }, 'the store could not be read for metrics');
      gauges.storeUp.set(0);
      gauges.waiting.remove();
      gauges.calls.reset();
      gauges.overdue.remove();
      gauges.undelivered.remove();
      resetTrunks(gauges);
    }
  };
};

const resetTrunks = ({ trunkState, degraded, registered, rateLimit, concurrencyLimit }: Gauges): void => {
  for (const gauge of [trunkState, degraded, registered, rateLimit, concurrencyLimit]) gauge.reset();
};

/** A limit that there is none of has no series. */
const setLimits = ({ rateLimit, concurrencyLimit }: Gauges, trunk: string, limits: CallLimits): void => {
  if (limits.callsPerSecond !== null) rateLimit.set({ trunk }, limits.callsPerSecond);
  if (limits.maxConcurrentCalls !== null) concurrencyLimit.set({ trunk }, limits.maxConcurrentCalls);
};

const setTrunk = (
  gauges: Gauges,
  trunk: string,
  { id, ...limits }: Trunk,
  routeHealth: FigureSources['routeHealth'],
): void => {
  setLimits(gauges, trunk, limits);
  const now = routeHealth.trunkState(id);
  for (const state of TRUNK_STATES) gauges.trunkState.set({ trunk, state }, state === now ? 1 : 0);
  gauges.degraded.set({ trunk }, Number(routeHealth.isDegraded(id)));
  const registration = routeHealth.registration(id);
  if (registration) gauges.registered.set({ trunk }, Number(registration.state === 'registered'));
};

/** Counters, an index step for each queue, the calls in progress and one page: bounded however many calls wait. */
const readFigures = async (views: Views) => {
  const dueAt = await views.nextDueAt();
  const queuedAt = await views.oldestUndeliveredAt();
  const trunks = await views.listTrunks({ limit: MAX_TRUNK_LABELS, cursor: null });
  return {
    waiting: await views.countWaiting(),
    inProgress: await views.countInProgress(),
    overdueMs: dueAt === null ? 0 : Math.max(0, (await views.nowMs()) - dueAt),
    undeliveredMs: queuedAt === null ? 0 : Math.max(0, (await views.nowMs()) - queuedAt),
    trunks: trunks.items,
  };
};

type Gauges = ReturnType<typeof figureGauges>;

const figureGauges = (registry: Registry) => {
  const gauge = <L extends string>(name: string, help: string, labelNames: L[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  return {
    storeUp: gauge('ringcast_store_up', 'Whether the store could be read for this scrape.'),
    waiting: gauge('ringcast_calls_waiting', 'Calls accepted and not yet dialled.'),
    calls: gauge('ringcast_calls', 'Calls of all nodes that have not ended, by state.', ['state']),
    rateLimit: gauge('ringcast_calls_per_second_limit', 'Calls that may be begun in a second.', ['trunk']),
    concurrencyLimit: gauge('ringcast_concurrent_calls_limit', 'Calls that may be in progress at once.', ['trunk']),
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
