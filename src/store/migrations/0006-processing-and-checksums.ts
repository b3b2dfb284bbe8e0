import { type Kysely, sql } from 'kysely';

/**
 * What a media does to the sound of its clips, a digest of each rendition, and which set of renditions a clip has:
 * 1 is PCMU and PCMA without digests, as clips had them before.
 */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
};

const STATEMENTS: readonly string[] = [
  `alter table media add column processing text not null
    default '{"level":true,"trim":true,"telephoneBand":false}'`,
  'alter table clip_renditions add column sha256 text',
  'alter table clips add column rendition_set integer not null default 1',
];
