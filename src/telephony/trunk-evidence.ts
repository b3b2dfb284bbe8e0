/** What a real call showed of its trunk. */
export type CallSign =
  /** It answered, and not with an error of its own. */
  | { readonly kind: 'alive' }
  /** No SIP answer came, or nothing could be sent. */
  | { readonly kind: 'silent' }
  /** A 5xx. */
  | { readonly kind: 'failing'; readonly status: number; readonly retryAfterMs: number | null };

/** What the calls of each trunk say of its health, until one says otherwise. */
export interface TrunkEvidence {
  note(trunkId: string, sign: CallSign): void;
  /** How long a trunk that said 503 with Retry-After is left alone yet; 0 if it did not. */
  leftAloneForMs(trunkId: string): number;
  /** How long ago a call got no SIP answer, if it was the last; null if none or if a later call was answered. */
  silentForMs(trunkId: string): number | null;
  /** What is wrong, in a sentence; null if nothing. */
  problem(trunkId: string): string | null;
  forget(trunkId: string): void;
  keepOnly(trunkIds: ReadonlySet<string>): void;
}

/** So many server errors in a row are a trunk's, fewer may be those of the numbers called. */
export const FAILING_STREAK = 5;
/** Nobody is left alone for longer, whatever it asks for. */
export const LONGEST_LEAVE_MS = 300_000;

interface Entry {
  silentSinceMs: number | null;
  /** The server errors in a row. */
  failures: number;
  status: number;
  leaveUntilMs: number;
}

const problemOf = (entry: Entry, leftAloneForMs: number): string | null => {
  if (leftAloneForMs > 0) {
    const seconds = Math.ceil(leftAloneForMs / 1000);
    return `The trunk answered 503 and asked to be left alone: no call goes over it for ${seconds} s.`;
  }
  if (entry.silentSinceMs !== null) return 'The last call over the trunk got no SIP answer.';
  if (entry.failures < FAILING_STREAK) return null;
  return `The last ${entry.failures} calls over the trunk ended with a server error (${entry.status}).`;
};

export const createTrunkEvidence = (monotonicMs: () => number): TrunkEvidence => {
  const entries = new Map<string, Entry>();

  const leftAloneForMs = (trunkId: string): number =>
    Math.max(0, (entries.get(trunkId)?.leaveUntilMs ?? Number.NEGATIVE_INFINITY) - monotonicMs());

  const entryOf = (trunkId: string): Entry => {
    const known = entries.get(trunkId);
    if (known) return known;
    const entry: Entry = { silentSinceMs: null, failures: 0, status: 0, leaveUntilMs: Number.NEGATIVE_INFINITY };
    entries.set(trunkId, entry);
    return entry;
  };

  const fail = (entry: Entry, status: number, retryAfterMs: number | null): void => {
    entry.silentSinceMs = null;
    entry.failures += 1;
    entry.status = status;
    if (status !== 503 || retryAfterMs === null) return;
    entry.leaveUntilMs = Math.max(entry.leaveUntilMs, monotonicMs() + Math.min(retryAfterMs, LONGEST_LEAVE_MS));
  };

  return {
    note: (trunkId, sign) => {
      // Calls that were under way before it asked to be left alone do not end that.
      if (sign.kind === 'alive' && leftAloneForMs(trunkId) === 0) entries.delete(trunkId);
      else if (sign.kind === 'failing') fail(entryOf(trunkId), sign.status, sign.retryAfterMs);
      else if (sign.kind === 'silent') entryOf(trunkId).silentSinceMs = monotonicMs();
    },
    leftAloneForMs,
    silentForMs: (trunkId) => {
      const sinceMs = entries.get(trunkId)?.silentSinceMs ?? null;
      return sinceMs === null ? null : monotonicMs() - sinceMs;
    },
    problem: (trunkId) => {
      const entry = entries.get(trunkId);
      return entry ? problemOf(entry, leftAloneForMs(trunkId)) : null;
    },
    forget: (trunkId) => {
      entries.delete(trunkId);
    },
    keepOnly: (trunkIds) => {
      for (const trunkId of entries.keys()) if (!trunkIds.has(trunkId)) entries.delete(trunkId);
    },
  };
};
