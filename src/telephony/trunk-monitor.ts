import type { Routes } from '../domain/network.ts';
import type { Log, RouteHealth, WakeAfter } from '../domain/ports.ts';
import type { Admission, Trunk, TrunkRegistration, TrunkState } from '../domain/trunk.ts';
import type { LocateTarget } from '../sip/server-location.ts';
import { CannotCall, targetOf, targetOfTrunk } from './call-target.ts';
import type { LoginRefusals } from './login-refusals.ts';
import { ASK_DOWN_EVERY_MS, type PeerHealth, type PeerWatch, watchPeer } from './peer-watch.ts';
import type { ProbeResult } from './probe.ts';
import type { CallSign, TrunkEvidence } from './trunk-evidence.ts';

/** A trunk, as far as its health is concerned. */
export interface MonitoredTrunk {
  readonly id: string;
  readonly host: string;
  readonly port: number | null;
  readonly transport: Trunk['transport'];
  readonly healthCheck: 'options' | 'none';
}

export interface TrunkMonitorOptions {
  /** Whether a peer answers; never rejects. */
  readonly probe: (target: LocateTarget) => Promise<ProbeResult>;
  /** All trunks, and a bounded number of the URIs that are dialled without one. */
  readonly listTargets: () => Promise<{
    readonly trunks: readonly MonitoredTrunk[];
    readonly directUris: readonly string[];
  }>;
  /** Trunks that refused our user name and password: down while they are held. */
  readonly refusals: LoginRefusals;
  /** What real calls show. */
  readonly evidence: TrunkEvidence;
  readonly registration: (trunkId: string) => TrunkRegistration | null;
  readonly wakeAfter: WakeAfter;
  readonly log: Log;
  readonly onChange?: (trunkId: string, state: TrunkState) => void;
}

export interface TrunkMonitor extends RouteHealth {
  /** Lists the targets for the first time and begins to ask them; their answers are not waited for. */
  start(): Promise<void>;
  /** To be told what each call shows of its trunk. */
  noteCall(trunkId: string, sign: CallSign): void;
  close(): void;
}

/** A trunk that is not asked by OPTIONS and leaves a call unanswered rests so long, then one call tries it. */
export const SILENT_REST_MS = 30_000;

/** Targets that are found alike share a key: a stated port means UDP if nothing else does (RFC 3263 4.1). */
const keyOf = ({ host, port, transport, isSecure = false }: LocateTarget): string => {
  const way = transport ?? (port === null || isSecure ? 'any' : 'udp');
  return `${host.toLowerCase()} ${port ?? ''} ${way} ${isSecure}`;
};

const stateOf = (health: PeerHealth): TrunkState => (health === 'degraded' ? 'up' : health);

/** Where a direct URI is asked; null for one that cannot be called over UDP, whose health nobody can know. */
const targetOfDirect = (uri: string): LocateTarget | null => {
  try {
    return targetOf({ destination: uri, trunk: null }).at;
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
  const { refusals, evidence, wakeAfter, log } = options;
  const watches = new Map<string, PeerWatch>();
  let trunks = new Map<string, MonitoredTrunk>();
  let isClosed = false;
  let listing: Promise<void> | null = null;
  let isStale = false;
  let cancelRetry = (): void => undefined;

  const report = (key: string, health: PeerHealth): void => {
    for (const trunk of trunks.values()) {
      if (trunk.healthCheck !== 'options' || keyOf(targetOfTrunk(trunk)) !== key) continue;
      const words = { trunkId: trunk.id, state: health, reason: watches.get(key)?.problem() ?? null };
      log[health === 'down' ? 'warn' : 'info'](words, 'trunk state changed');
      options.onChange?.(trunk.id, stateOf(health));
    }
  };

  const follow = (wanted: ReadonlyMap<string, LocateTarget>): void => {
    for (const [key, watch] of watches) {
      if (wanted.has(key)) continue;
      watch.stop();
      watches.delete(key);
    }
    for (const [key, target] of wanted) {
      if (watches.has(key)) continue;
      const onChange = (health: PeerHealth): void => report(key, health);
      watches.set(key, watchPeer({ target, probe: options.probe, wakeAfter, onChange }));
    }
  };

  const list = async (): Promise<void> => {
    const listed = await options.listTargets();
    if (isClosed) return;
    trunks = new Map(listed.trunks.map((trunk) => [trunk.id, trunk]));
    refusals.keepOnly(new Set(trunks.keys()));
    evidence.keepOnly(new Set(trunks.keys()));
    const asked = listed.trunks.filter((trunk) => trunk.healthCheck === 'options').map(targetOfTrunk);
    const direct = listed.directUris.map(targetOfDirect).filter((target) => target !== null);
    follow(new Map([...asked, ...direct].map((target) => [keyOf(target), target])));
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

  const watchOf = (target: LocateTarget | null): PeerWatch | undefined =>
    target ? watches.get(keyOf(target)) : undefined;

  const healthAt = (target: LocateTarget | null): PeerHealth => watchOf(target)?.health() ?? 'unknown';

  /** A trunk whose silence nobody asks about by OPTIONS: held, then tried by one call at a time. */
  const silenceAdmission = (trunk: MonitoredTrunk): Admission => {
    const silentForMs = trunk.healthCheck === 'none' ? evidence.silentForMs(trunk.id) : null;
    if (silentForMs === null) return 'open';
    return silentForMs < SILENT_REST_MS ? 'held' : 'trial';
  };

  const admission = (trunkId: string): Admission => {
    const trunk = trunks.get(trunkId);
    const each: readonly Admission[] = [
      refusals.admission(trunkId),
      evidence.leftAloneForMs(trunkId) > 0 ? 'held' : 'open',
      trunk ? silenceAdmission(trunk) : 'open',
    ];
    return each.find((one) => one === 'held') ?? each.find((one) => one === 'trial') ?? 'open';
  };

  const trunkState = (trunkId: string): TrunkState => {
    const trunk = trunks.get(trunkId);
    if (!trunk) return 'unknown';
    if (admission(trunkId) === 'held') return 'down';
    return trunk.healthCheck === 'none' ? 'up' : stateOf(healthAt(targetOfTrunk(trunk)));
  };

  const loginProblem = (trunkId: string): string | null => {
    if (refusals.admission(trunkId) === 'open') return null;
    const heldForS = Math.ceil(refusals.heldForMs(trunkId) / 1000);
    const next = heldForS === 0 ? 'the next call tries again' : `it is left alone for ${heldForS} s`;
    return `The trunk refused the user name or password: ${next}.`;
  };

  const registrationProblem = (trunkId: string): string | null => {
    const registration = options.registration(trunkId);
    return registration?.state === 'failed' ? `It is not registered: ${registration.reason ?? 'no answer'}` : null;
  };

  const addressProblem = (trunkId: string): string | null => {
    const trunk = trunks.get(trunkId);
    const watch = trunk?.healthCheck === 'options' ? watchOf(targetOfTrunk(trunk)) : undefined;
    if (!watch) return null;
    return watch.health() === 'degraded' ? 'Some of its addresses do not answer OPTIONS.' : watch.problem();
  };

  const stateReason = (trunkId: string): string | null =>
    loginProblem(trunkId) ?? evidence.problem(trunkId) ?? registrationProblem(trunkId) ?? addressProblem(trunkId);

  return {
    start: async () => {
      refresh();
      await listing;
    },
    refresh: (changedTrunkId) => {
      if (changedTrunkId !== undefined) {
        refusals.forget(changedTrunkId);
        evidence.forget(changedTrunkId);
      }
      refresh();
    },
    noteCall: (trunkId, sign) => {
      const trunk = trunks.get(trunkId);
      if (!trunk) return;
      const isNews = sign.kind === 'silent' && evidence.silentForMs(trunkId) === null;
      evidence.note(trunkId, sign);
      if (isNews && trunk.healthCheck === 'options') watches.get(keyOf(targetOfTrunk(trunk)))?.doubt();
    },
    trunkState,
    stateReason,
    isDegraded: (trunkId) => trunkState(trunkId) !== 'down' && stateReason(trunkId) !== null,
    registration: options.registration,
    admission,
    isCallable: (routes: Routes) =>
      routes.trunkIds.length > 0
        ? routes.trunkIds.some((trunkId) => trunkState(trunkId) !== 'down')
        : routes.directUris.some((uri) => healthAt(targetOfDirect(uri)) !== 'down'),
    close: () => {
      isClosed = true;
      cancelRetry();
      for (const watch of watches.values()) watch.stop();
      watches.clear();
    },
  };
};
