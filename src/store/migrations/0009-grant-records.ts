import { type Kysely, sql } from 'kysely';

/** What became of each grant, and the indexes to list and to sweep them by. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
};

const STATEMENTS: readonly string[] = [
  'alter table grants add column claimed_at bigint',
  'alter table grants add column spent_at bigint',
  'alter table grants add column revoked_at bigint',
  'alter table grants add column remote_address text',
  'alter table grants add column digest text',
  'alter table grants add column bytes bigint',
  'alter table grants add column upload_id text',
  'create index grants_grant_id on grants (grant_id_hash)',
  'create index grants_application on grants (application_id, seq)',
  'create index grants_expires on grants (expires_at)',
];
