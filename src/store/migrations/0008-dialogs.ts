import { type Kysely, sql } from 'kysely';

/** What ends the dialog of an attempt in progress, should its node die. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql.raw('alter table attempts add column dialog text').execute(db);
};
