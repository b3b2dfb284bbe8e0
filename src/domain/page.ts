export interface Page {
  readonly limit: number;
  /** The `next` of the page before, or null for the first. */
  readonly cursor: string | null;
}

export interface Listing<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}
