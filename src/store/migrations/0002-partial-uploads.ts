import { type Kysely, sql } from 'kysely';
import type { Ddl } from '../migrate.ts';

/** Resumable uploads on their way: they belong to a grant and die with it. */
export const up = async (db: Kysely<unknown>, ddl: Ddl): Promise<void> => {
  for (const statement of STATEMENTS(ddl)) await sql.raw(statement).execute(db);
};

const STATEMENTS = ({ sequence, octets }: Ddl): readonly string[] => [
  `create table partial_uploads (seq ${sequence}, id text not null unique,
    grant_seq bigint not null references grants (seq) on delete cascade, size_bytes bigint not null,
    offset_bytes bigint not null, metadata text not null)`,
  'create index partial_uploads_grant on partial_uploads (grant_seq, seq)',
  `create table partial_upload_parts (upload_id text not null references partial_uploads (id) on delete cascade,
    part integer not null, octets ${octets} not null, primary key (upload_id, part))`,
];
