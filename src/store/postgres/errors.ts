import { AppError } from '../../domain/app-error.ts';
import { LostRace } from '../lost-race.ts';

/** SQLSTATEs (PostgreSQL manual, appendix A). */
const DISK_FULL = '53100';
/** Another transaction was first; a second run of the unit sees what it did. */
const LOST_RACES: readonly string[] = [
  '23503', // foreign_key_violation
  '23505', // unique_violation
  '40001', // serialization_failure
  '40P01', // deadlock_detected
];
/** What was asked is wrong, not the database: a fault of ours, which must not be taken for an outage. */
const DATA_EXCEPTION = '22';
/** A NUL character in a text (character_not_in_repertoire). */
const NUL_IN_TEXT = '22021';
/** The server turns us away as a whole; another connection may lead to one that does not. */
const TURNED_AWAY = /^(08|57P|25006)/;

/** The SQLSTATE of an error that the server reported, or null for any other error. */
export const sqlState = (error: unknown): string | null => {
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  return error instanceof Error && typeof code === 'string' && typeof severity === 'string' ? code : null;
};

export const isLostRace = (error: unknown): boolean =>
  error instanceof LostRace || LOST_RACES.includes(sqlState(error) ?? '');

/** Whether the connection that gave this error is to be given up. */
export const isTurnedAway = (error: unknown): boolean => TURNED_AWAY.test(sqlState(error) ?? '');

/** An error of the server as `disk_full`, `store_unavailable` or, for a text that it cannot hold, `invalid_field`. */
export const asAppError = (error: unknown): unknown => {
  const state = sqlState(error);
  if (state === NUL_IN_TEXT)
    return new AppError('invalid_field', 'A text holds a NUL character, which no id and no name may.', {
      cause: error,
    });
  if (state?.startsWith(DATA_EXCEPTION)) return error;
  if (state === DISK_FULL)
    return new AppError('disk_full', 'The disk of the database is full. Make room and try again.', { cause: error });
  return state !== null || error instanceof LostRace ? unavailable(error) : error;
};

export const unavailable = (cause: unknown): AppError =>
  new AppError('store_unavailable', 'The database cannot be used at this time. Try again later.', { cause });
