import { sql } from 'kysely';
import type { Db } from '../schema.ts';

/** Milliseconds since 1970 by the clock of SQLite. */
export const readClockMs = async (db: Db): Promise<number> => {
  const { rows } = await sql<{ now: number }>`select cast(unixepoch('subsec') * 1000 as integer) as now`.execute(db);
  return rows[0]?.now ?? Number.NaN;
};
