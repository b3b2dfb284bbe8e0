import { type Kysely, sql } from 'kysely';

/**
 * Who has claimed what. The node '' has claimed what was claimed before there were nodes: it stands, never beats, and
 * is taken over like any other.
 */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
};

const STATEMENTS: readonly string[] = [
  `create table nodes (id text not null primary key, beats bigint not null, joined_at bigint not null,
    renewed_at bigint not null, taken_over_at bigint, taken_over_by text)`,
  'create index nodes_standing on nodes (id) where taken_over_at is null',
  "insert into nodes (id, beats, joined_at, renewed_at) values ('', 0, 0, 0)",
  "alter table attempts add column node_id text not null default ''",
  'create index attempts_open_of_node on attempts (node_id) where ended_at is null',
  "alter table grants add column node_id text not null default ''",
  "create index grants_claimed_by on grants (node_id) where state = 'claimed'",
  'create table staged_clips (clip_id text not null primary key, node_id text not null)',
  'create index staged_clips_node on staged_clips (node_id)',
  `insert into staged_clips (clip_id, node_id)
    select distinct clip_id, '' from clip_originals where clip_id not in (select id from clips)`,
];
