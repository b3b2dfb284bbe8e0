import { type Kysely, sql } from 'kysely';

/** Nodes that are no more are found by when they were taken over. Blasts need no index: they are read from the oldest on. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`create index nodes_taken_over on nodes (taken_over_at) where taken_over_at is not null`.execute(db);
};
