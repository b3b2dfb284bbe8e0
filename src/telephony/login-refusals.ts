import type { Admission } from '../domain/trunk.ts';

/**
 * Trunks that refused our user name and password. Each is left alone for a while, then given one call as a trial; every
 * further refusal doubles the wait, a call that gets past the login ends it.
 */
export interface LoginRefusals {
  refused(trunkId: string): void;
  accepted(trunkId: string): void;
  admission(trunkId: string): Admission;
  /** How long a held trunk is left alone yet; 0 if it is not held. */
  heldForMs(trunkId: string): number;
  /** For a trunk that was changed: it starts anew. */
  forget(trunkId: string): void;
  /** Forgets every trunk but these. */
  keepOnly(trunkIds: ReadonlySet<string>): void;
}

export const FIRST_HOLD_MS = 5_000;
export const LONGEST_HOLD_MS = 300_000;

interface Refusal {
  readonly untilMs: number;
  readonly holdMs: number;
}

export const createLoginRefusals = (monotonicMs: () => number): LoginRefusals => {
  const refusals = new Map<string, Refusal>();

  const heldForMs = (trunkId: string): number =>
    Math.max(0, (refusals.get(trunkId)?.untilMs ?? Number.NEGATIVE_INFINITY) - monotonicMs());

  return {
    refused: (trunkId) => {
      // Calls that were under way together are refused together: that is one refusal.
      if (heldForMs(trunkId) > 0) return;
      const known = refusals.get(trunkId);
      const holdMs = known ? Math.min(2 * known.holdMs, LONGEST_HOLD_MS) : FIRST_HOLD_MS;
      refusals.set(trunkId, { untilMs: monotonicMs() + holdMs, holdMs });
    },
    accepted: (trunkId) => {
      refusals.delete(trunkId);
    },
    admission: (trunkId) => {
      if (!refusals.has(trunkId)) return 'open';
      return heldForMs(trunkId) > 0 ? 'held' : 'trial';
    },
    heldForMs,
    forget: (trunkId) => {
      refusals.delete(trunkId);
    },
    keepOnly: (trunkIds) => {
      for (const trunkId of refusals.keys()) if (!trunkIds.has(trunkId)) refusals.delete(trunkId);
    },
  };
};
