import { type Kysely, sql } from 'kysely';

/** Events of all applications are read in their order, whatever their number. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`create index events_position on events (position) where position is not null`.execute(db);
};
