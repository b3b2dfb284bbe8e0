import { advance, allowance, type Pace, startPace } from '../domain/pacing.ts';
import type { Trunk } from '../domain/trunk.ts';

/** Calls in progress and calls a second, of the whole server and of each trunk. */
export interface DialLimits {
  /** Takes over the trunks as they are configured now. */
  setTrunks(trunks: readonly Trunk[]): void;
  /** How many calls one claim may take so that no limit is passed, whichever trunks they need. */
  room(nowMs: number): number;
  /** Trunks that may take no call now. */
  saturated(nowMs: number): readonly string[];
  started(trunkId: string | null, nowMs: number): void;
  ended(trunkId: string | null): void;
  inProgress(): number;
}

interface Gauge {
  maxConcurrentCalls: number;
  inProgress: number;
  pace: Pace | null;
}

export const createDialLimits = (server: { maxConcurrentCalls: number; callsPerSecond: number }): DialLimits => {
  const whole = gauge(server.maxConcurrentCalls, server.callsPerSecond);
  const trunks = new Map<string, Gauge>();

  const configure = (trunk: Trunk): void => {
    const fresh = gauge(trunk.maxConcurrentCalls ?? Number.POSITIVE_INFINITY, trunk.callsPerSecond);
    const known = trunks.get(trunk.id);
    const samePace = known?.pace?.callsPerSecond === fresh.pace?.callsPerSecond;
    trunks.set(
      trunk.id,
      known
        ? { ...known, maxConcurrentCalls: fresh.maxConcurrentCalls, pace: samePace ? known.pace : fresh.pace }
        : fresh,
    );
  };

  return {
    setTrunks(configured) {
      const ids = new Set(configured.map((trunk) => trunk.id));
      for (const [id, known] of trunks) if (!ids.has(id) && known.inProgress === 0) trunks.delete(id);
      configured.forEach(configure);
    },
    room(nowMs) {
      const open = [...trunks.values()].map((trunk) => spare(trunk, nowMs)).filter((calls) => calls > 0);
      return Math.min(spare(whole, nowMs), ...open);
    },
    saturated: (nowMs) => [...trunks].filter(([, trunk]) => spare(trunk, nowMs) === 0).map(([id]) => id),
    started(trunkId, nowMs) {
      for (const each of [whole, trunks.get(trunkId ?? '')]) if (each) start(each, nowMs);
    },
    ended(trunkId) {
      for (const each of [whole, trunks.get(trunkId ?? '')]) if (each) each.inProgress -= 1;
    },
    inProgress: () => whole.inProgress,
  };
};

const gauge = (maxConcurrentCalls: number, callsPerSecond: number | null): Gauge => ({
  maxConcurrentCalls,
  inProgress: 0,
  pace: callsPerSecond === null ? null : startPace(callsPerSecond, 0),
});

const spare = (limit: Gauge, nowMs: number): number => {
  const slots = Math.max(0, limit.maxConcurrentCalls - limit.inProgress);
  return limit.pace ? Math.min(slots, allowance(limit.pace, nowMs)) : slots;
};

const start = (limit: Gauge, nowMs: number): void => {
  limit.inProgress += 1;
  if (limit.pace) limit.pace = advance(limit.pace, nowMs, 1);
};
