import { type Kysely, sql } from 'kysely';

/** What the callee did, and how the voice reached him: unknown of attempts made before. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
};

const STATEMENTS: readonly string[] = [
  'alter table attempts add column digits text',
  'alter table attempts add column hung_up_at text',
  'alter table attempts add column round_trip_ms double precision',
  'alter table attempts add column mos_estimate double precision',
  'alter table attempts add column lateness_p50_ms double precision',
  'alter table attempts add column lateness_p99_ms double precision',
];
