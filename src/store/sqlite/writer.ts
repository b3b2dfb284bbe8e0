import type { CommitSession } from '../group-commit.ts';
import { readClockMs } from './clock.ts';
import type { Connection } from './connection.ts';
import { asAppError } from './errors.ts';

/** The one connection that writes, as group commit drives it. */
export const writerSession = ({ raw, db }: Connection): CommitSession & { nowMs(): Promise<number> } => {
  /** The clock as it was read in this batch, so that all of its rows agree. */
  let batchNow: Promise<number> | null = null;
  return {
    begin() {
      batchNow = null;
      raw.exec('begin immediate');
    },
    commit: () => raw.exec('commit'),
    rollback() {
      if (raw.isTransaction) raw.exec('rollback');
    },
    startUnit: () => raw.exec('savepoint unit'),
    keepUnit: () => raw.exec('release unit'),
    undoUnit: () => raw.exec('rollback to unit; release unit'),
    // SQLite itself rolls everything back after some errors, a full disk among them.
    isOpen: () => raw.isTransaction,
    explain: asAppError,
    nowMs() {
      batchNow ??= readClockMs(db);
      return batchNow;
    },
  };
};
