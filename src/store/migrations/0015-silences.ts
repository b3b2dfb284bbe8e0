import { type Kysely, sql } from 'kysely';

/** Silence around and between clips, of an application and as a blast has pinned it: the defaults for those there are. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const table of ['applications', 'blasts'])
    await sql.raw(`alter table ${table} add column silences text not null default '${DEFAULTS}'`).execute(db);
};

const DEFAULTS = '{"leadInMs":300,"gapMs":400,"tailMs":200}';
