import { type Kysely, sql } from 'kysely';

/** What ends the dialog of an attempt in progress, should its node die. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
};

const STATEMENTS: readonly string[] = [
  'alter table attempts add column dialog text',
  'create index attempts_left on attempts (node_id) where ended_at is not null and dialog is not null',
];
