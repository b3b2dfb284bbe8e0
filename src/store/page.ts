import { AppError } from '../domain/app-error.ts';
import type { Listing, Page } from '../domain/store-port.ts';

const MAX_PAGE = 200;
const CURSOR = /^[1-9][0-9]{0,15}$/;

/** A page as the queries need it: rows with `seq` below `before`, at most `take` (one more than are listed). */
export interface Window {
  readonly before: number;
  readonly take: number;
}

/** Throws `invalid_parameter` for a cursor that no listing gave out. */
export const windowOf = (page: Page): Window => ({
  before: page.cursor === null ? Number.MAX_SAFE_INTEGER : readCursor(page.cursor),
  take: Math.min(Math.max(1, page.limit), MAX_PAGE) + 1,
});

const readCursor = (cursor: string): number => {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  if (CURSOR.test(text) && writeCursor(text) === cursor) return Number(text);
  const fix = 'Use the "next" of the page before, or leave the cursor out';
  throw new AppError('invalid_parameter', `The cursor is not one that a listing gave out. ${fix}.`, {
    field: 'cursor',
  });
};

const writeCursor = (seq: number | string): string => Buffer.from(String(seq), 'latin1').toString('base64url');

/** Rows of a window, newest first, split into those listed and where the next page begins. */
export const listed = <R extends { seq: number }>(rows: readonly R[], window: Window): Listing<R> => {
  const items = rows.slice(0, window.take - 1);
  const last = items.at(-1);
  return { items, next: rows.length < window.take || !last ? null : writeCursor(last.seq) };
};
