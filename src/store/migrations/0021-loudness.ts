import { type Kysely, sql } from 'kysely';

/** How loud a clip was and is: JSON, unknown of clips made before and of silence. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`alter table clips add column loudness text`.execute(db);
};
