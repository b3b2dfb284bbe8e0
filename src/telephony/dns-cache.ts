/** Records of one name, and for how long they hold. Without records it is a negative answer. */
export interface DnsAnswer<T> {
  readonly records: readonly T[];
  readonly ttlMs: number;
}

/** Answers by question, each kept for its time. */
export interface DnsCache {
  /** One query at a time for each question: whoever asks meanwhile shares it. A failure is kept for 5 s. */
  ask<T>(question: string, query: () => Promise<DnsAnswer<T>>): Promise<readonly T[]>;
}

/** A shorter time is taken for this, so that a name with TTL 0 is not asked for every call. */
export const LEAST_TTL_MS = 1_000;
export const MOST_TTL_MS = 3_600_000;
export const FAILURE_TTL_MS = 5_000;

interface Entry {
  readonly records: Promise<readonly unknown[]>;
  /** Infinity while the query is under way. */
  expiresAtMs: number;
}

const bounded = (ttlMs: number): number => Math.min(Math.max(ttlMs, LEAST_TTL_MS), MOST_TTL_MS);

/** Keeps the answers to the `limit` questions that were asked last. */
export const createDnsCache = (options: { readonly monotonicMs: () => number; readonly limit: number }): DnsCache => {
  const { monotonicMs, limit } = options;
  const entries = new Map<string, Entry>();

  const begin = <T>(query: () => Promise<DnsAnswer<T>>): Entry => {
    const answer = query();
    const entry: Entry = { records: answer.then(({ records }) => records), expiresAtMs: Number.POSITIVE_INFINITY };
    const keepFor = (ttlMs: number): void => {
      entry.expiresAtMs = monotonicMs() + bounded(ttlMs);
    };
    answer.then(
      ({ ttlMs }) => keepFor(ttlMs),
      () => keepFor(FAILURE_TTL_MS),
    );
    return entry;
  };

  return {
    ask: <T>(question: string, query: () => Promise<DnsAnswer<T>>) => {
      const known = entries.get(question);
      const entry = known && known.expiresAtMs > monotonicMs() ? known : begin(query);
      entries.delete(question);
      entries.set(question, entry);
      const [oldest] = entries.keys();
      if (entries.size > limit && oldest !== undefined) entries.delete(oldest);
      // The question says what its records are.
      return entry.records as Promise<readonly T[]>;
    },
  };
};
