import type { Routes } from '../domain/network.ts';
import type { Log, RouteHealth, WakeAfter } from '../domain/ports.ts';
import type { Trunk, TrunkState } from '../domain/trunk.ts';
import { CannotCall, targetOf } from './call-target.ts';
import type { LoginRefusals } from './login-refusals.ts';
import { ASK_DOWN_EVERY_MS, type PeerWatch, watchPeer } from './peer-watch.ts';
import type { ProbeTarget } from './probe.ts';

/** A trunk, as far as its health is concerned. */
export interface MonitoredTrunk {
  readonly id: string;
  readonly host: string;
  readonly port: number;
  readonly transport: Trunk['transport'];
  readonly healthCheck: 'options' | 'none';
}

export interface TrunkMonitorOptions {
  /** Whether a peer answers; never rejects. */
  readonly probe: (target: ProbeTarget) => Promise<boolean>;
  /** All trunks, and a bounded number of the URIs that are dialled without one. */
  readonly listTargets: () => Promise<{
    readonly trunks: readonly MonitoredTrunk[];
    readonly directUris: readonly string[];
  }>;
  /** Trunks that refused our user name and password: down while they are held. */
  readonly refusals: LoginRefusals;
  readonly wakeAfter: WakeAfter;
  readonly log: Log;
  readonly onChange?: (trunkId: string, state: TrunkState) => void;
}

export interface TrunkMonitor extends RouteHealth {
  /** Lists the targets for the first time and begins to ask them; their answers are not waited for. */
  start(): Promise<void>;
  close(): void;
}

const keyOf = ({ host, port, transport }: ProbeTarget): string => `${transport} ${host.toLowerCase()} ${port ?? ''}`;

/** Where a direct URI is asked; null for one that cannot be called, whose health nobody can know. */
/** What is asked of a target; anything else that it holds is not told. */
const targetParts = ({ host, port, transport }: ProbeTarget): ProbeTarget => ({ host, port, transport });

const targetOfUri = (uri: string): ProbeTarget | null => {
  try {
    return targetOf({ destination: uri, trunk: null });
  } catch (error) {
    if (error instanceof CannotCall) return null;
    throw error;
  }
};

/**
 * Watches the ways out by OPTIONS: asked when first seen, every 5 s while down, every 30 s while up. What has not
 * answered yet is `unknown`, and counts as up.
 */
export const createTrunkMonitor = (options: TrunkMonitorOptions): TrunkMonitor => {
  const { refusals, wakeAfter, log } = options;
  const watches = new Map<string, PeerWatch>();
  let trunks = new Map<string, MonitoredTrunk>();
  let isClosed = false;
  let listing: Promise<void> | null = null;
  let isStale = false;
  let cancelRetry = (): void => undefined;

  const report = (key: string, state: TrunkState): void => {
    for (const trunk of trunks.values()) {
      if (trunk.healthCheck !== 'options' || keyOf(trunk) !== key) continue;
      log.info({ trunkId: trunk.id, state }, 'trunk state changed');
      options.onChange?.(trunk.id, state);
    }
  };

  const follow = (wanted: ReadonlyMap<string, ProbeTarget>): void => {
    for (const [key, watch] of watches) {
      if (wanted.has(key)) continue;
      watch.stop();
      watches.delete(key);
    }
    for (const [key, target] of wanted) {
      if (watches.has(key)) continue;
      const onChange = (state: TrunkState): void => report(key, state);
      watches.set(key, watchPeer({ target, probe: options.probe, wakeAfter, onChange }));
    }
  };

  const list = async (): Promise<void> => {
    const listed = await options.listTargets();
    if (isClosed) return;
    trunks = new Map(listed.trunks.map((trunk) => [trunk.id, trunk]));
    refusals.keepOnly(new Set(trunks.keys()));
    const asked = listed.trunks.filter((trunk) => trunk.healthCheck === 'options');
    const direct = listed.directUris.map(targetOfUri).filter((target) => target !== null);
    follow(new Map([...asked, ...direct].map((target) => [keyOf(target), targetParts(target)])));
  };

  /** One listing at a time; a wish that comes meanwhile is met by one more. */
  const relist = async (): Promise<void> => {
    do {
      isStale = false;
      await list();
    } while (isStale && !isClosed);
  };

  const refresh = (): void => {
    if (isClosed) return;
    isStale = true;
    listing ??= relist()
      .catch((error: unknown) => {
        log.warn({ err: error }, 'the trunks could not be listed; trying again');
        cancelRetry = wakeAfter(ASK_DOWN_EVERY_MS, refresh);
      })
      .finally(() => {
        listing = null;
        // A wish that came after the last listing began to settle.
        if (isStale) refresh();
      });
  };

  const stateAt = (target: ProbeTarget | null): TrunkState =>
    (target && watches.get(keyOf(target))?.state()) ?? 'unknown';

  const trunkState = (trunkId: string): TrunkState => {
    const trunk = trunks.get(trunkId);
    if (!trunk) return 'unknown';
    if (refusals.admission(trunkId) === 'held') return 'down';
    return trunk.healthCheck === 'none' ? 'up' : stateAt(trunk);
  };

  return {
    start: async () => {
      refresh();
      await listing;
    },
    refresh: (changedTrunkId) => {
      if (changedTrunkId !== undefined) refusals.forget(changedTrunkId);
      refresh();
    },
    trunkState,
    stateReason: (trunkId) => {
      if (refusals.admission(trunkId) === 'open') return null;
      const heldForS = Math.ceil(refusals.heldForMs(trunkId) / 1000);
      const next = heldForS === 0 ? 'the next call tries again' : `it is left alone for ${heldForS} s`;
      return `The trunk refused the user name or password: ${next}.`;
    },
    admission: refusals.admission,
    isCallable: (routes: Routes) =>
      routes.trunkIds.length > 0
        ? routes.trunkIds.some((trunkId) => trunkState(trunkId) !== 'down')
        : routes.directUris.some((uri) => stateAt(targetOfUri(uri)) !== 'down'),
    close: () => {
      isClosed = true;
      cancelRetry();
      for (const watch of watches.values()) watch.stop();
      watches.clear();
    },
  };
};
