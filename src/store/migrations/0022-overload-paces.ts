import { type Kysely, sql } from 'kysely';

/** Calls that a node dialled in the minute before its last beat, if overload held others back; else null. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`alter table nodes add column calls_per_minute_overloaded integer`.execute(db);
};
