import type { RowLocks } from '../row-locks.ts';

export const POSTGRES_ROW_LOCKS: RowLocks = {
  keep: (query, of) => query.forKeyShare(of),
  freeze: (query, of) => query.forShare(of),
  own: (query, of) => query.forUpdate(of),
  ownFree: (query, of) => query.forUpdate(of).skipLocked(),
};
