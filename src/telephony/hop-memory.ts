import type { Hop } from '../sip/hop.ts';

/** Hops that failed: each is tried after all others for a while. */
export interface HopMemory {
  /** `retryAfterMs` is what a 503 asked for, if it did. */
  failed(hop: Hop, retryAfterMs?: number | null): void;
  answered(hop: Hop): void;
  hasFailed(hop: Hop): boolean;
  /** The same hops, those that failed last. */
  rank(hops: readonly Hop[]): readonly Hop[];
}

export const HOP_REST_MS = 60_000;
export const LONGEST_HOP_REST_MS = 600_000;

const keyOf = ({ transport, address, port }: Hop): string => `${transport} ${address} ${port}`;

/** Remembers the `limit` hops that failed last. */
export const createHopMemory = (monotonicMs: () => number, limit: number): HopMemory => {
  const restsUntilMs = new Map<string, number>();
  const hasFailed = (hop: Hop): boolean => (restsUntilMs.get(keyOf(hop)) ?? 0) > monotonicMs();
  return {
    failed: (hop, retryAfterMs) => {
      const restMs = Math.min(Math.max(retryAfterMs ?? 0, HOP_REST_MS), LONGEST_HOP_REST_MS);
      restsUntilMs.delete(keyOf(hop));
      restsUntilMs.set(keyOf(hop), monotonicMs() + restMs);
      const [oldest] = restsUntilMs.keys();
      if (restsUntilMs.size > limit && oldest !== undefined) restsUntilMs.delete(oldest);
    },
    answered: (hop) => {
      if (restsUntilMs.size > 0) restsUntilMs.delete(keyOf(hop));
    },
    hasFailed,
    rank: (hops) => {
      if (restsUntilMs.size === 0 || hops.length < 2) return hops;
      return [...hops].sort((a, b) => Number(hasFailed(a)) - Number(hasFailed(b)));
    },
  };
};
