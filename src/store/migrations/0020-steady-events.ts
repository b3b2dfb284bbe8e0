import { type Kysely, sql } from 'kysely';
import type { Ddl } from '../migrate.ts';

/** Events get their time from the clock that all other rows are written by (ADR 35). */
export const up = async (db: Kysely<unknown>, { steadyEventTriggers }: Ddl): Promise<void> => {
  for (const statement of steadyEventTriggers) await sql.raw(statement).execute(db);
};
