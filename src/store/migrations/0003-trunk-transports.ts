import { type Kysely, sql } from 'kysely';

/** How trunks carry calls beyond UDP: each trunk made before stays as it was. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
};

const STATEMENTS: readonly string[] = [
  'alter table trunks add column register integer not null default 0',
  "alter table trunks add column srtp text not null default 'off'",
  'alter table trunks add column comedia integer not null default 0',
];
