import { AppError } from '../../domain/app-error.ts';

/** Primary result codes (sqlite.org/rescode.html). */
export const SQLITE_BUSY = 5;
const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const SQLITE_NOTADB = 26;

/** The primary result code of an error of SQLite, or null for any other error. */
export const sqliteCode = (error: unknown): number | null => {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number' ? errcode & 0xff : null;
};

/** An error of SQLite as `disk_full` or `store_unavailable`; any other error as it is. */
export const asAppError = (error: unknown): unknown => {
  const code = error instanceof Error ? sqliteCode(error) : null;
  if (code === null) return error;
  if (code === SQLITE_FULL)
    return new AppError('disk_full', 'The disk of the server is full. Make room and try again.', { cause: error });
  return new AppError('store_unavailable', 'The database cannot be used at this time. Try again later.', {
    cause: error,
  });
};

/** Why the database at `path` could not be opened, in a sentence that names the fix. */
export const explainOpening = (path: string, error: unknown): unknown => {
  const code = error instanceof Error ? sqliteCode(error) : null;
  const isOfFile = error instanceof Error && 'syscall' in error;
  const sentence = isOfFile ? isNotWritable : SENTENCES[code ?? 0];
  return sentence ? new Error(sentence(path), { cause: error }) : error;
};

const isDamaged = (path: string): string =>
  `The database ${path} is damaged or is no SQLite database: restore it from a backup, or move it away to start anew.`;
const isNotWritable = (path: string): string =>
  `The database ${path} cannot be opened for writing: make its directory writable for the user that runs Ringcast, or choose another with RINGCAST_DATA_DIR.`;
const isFull = (path: string): string => `The database ${path} cannot grow: make room on its disk.`;

const SENTENCES: Readonly<Record<number, (path: string) => string>> = {
  [SQLITE_READONLY]: isNotWritable,
  [SQLITE_CANTOPEN]: isNotWritable,
  [SQLITE_IOERR]: (path) => `The disk that holds the database ${path} cannot be read or written: check the disk.`,
  [SQLITE_CORRUPT]: isDamaged,
  [SQLITE_NOTADB]: isDamaged,
  [SQLITE_FULL]: isFull,
};
