import type { SelectQueryBuilder } from 'kysely';

type Lock = <DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  of: TB & string,
) => SelectQueryBuilder<DB, TB, O>;

/**
 * How a unit of work keeps rows that it has read as they are until its commit, where units run beside each other. Only
 * in units, never in views.
 */
export interface RowLocks {
  /** Nobody deletes the rows of `of`; others may lock them so too, or change what is no key. */
  readonly keep: Lock;
  /** Nobody changes or deletes them. */
  readonly freeze: Lock;
  /** Nobody changes or locks them; waits for those who do. */
  readonly own: Lock;
  /** As `own`, leaving out the rows that somebody else has locked. */
  readonly ownFree: Lock;
}

/** Where one unit runs at a time, and for views. */
export const NO_ROW_LOCKS: RowLocks = {
  keep: (query) => query,
  freeze: (query) => query,
  own: (query) => query,
  ownFree: (query) => query,
};
