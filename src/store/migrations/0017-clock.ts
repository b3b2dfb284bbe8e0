import { type Kysely, sql } from 'kysely';

/** One row: by how much the database's clock is ahead of the one that rows are written by, since it was set. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
};

const STATEMENTS: readonly string[] = [
  'create table clock (id integer not null primary key, ahead_ms bigint not null)',
  'insert into clock (id, ahead_ms) values (1, 0)',
];
