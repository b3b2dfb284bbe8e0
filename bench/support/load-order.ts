export interface LoadOrder {
  /** `http://ADDRESS:PORT/path`; each request is a POST of `form`. */
  readonly url: string;
  readonly form: string;
  readonly connections: number;
  readonly seconds: number;
  /** Requests a second whatever the answers do, or null: as fast as they are answered. */
  readonly perSecond: number | null;
}

export interface LoadFigures {
  readonly accepted: number;
  readonly refused: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Figures of the accepted requests. */
export const figuresOf = (latenciesMs: readonly number[], refused: number, seconds: number): LoadFigures => {
  const sorted = Float64Array.from(latenciesMs).sort();
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return {
    accepted: sorted.length,
    refused,
    perSecond: sorted.length / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    maxMs: at(1),
  };
};
