import { type Kysely, sql } from 'kysely';
import type { Ddl } from '../migrate.ts';

/**
 * The first schema. Written in SQL that every database reads the same way; what differs comes from `ddl`.
 * Blasts, calls and attempts name applications, networks and trunks without a foreign key: they outlive them.
 */
export const up = async (db: Kysely<unknown>, ddl: Ddl): Promise<void> => {
  for (const statement of [...TABLES(ddl), ...INDEXES, ...ddl.callTriggers, ...ROWS])
    await sql.raw(statement).execute(db);
};

const TABLES = ({ sequence, octets, counterColumns }: Ddl): readonly string[] => [
  `create table applications (seq ${sequence}, id text not null unique, name text not null, default_greeting_id text,
    retry text not null, created_at bigint not null)`,
  `create table app_keys (id text not null primary key,
    application_id text not null references applications (id) on delete cascade,
    secret_hash text not null unique, created_at bigint not null)`,
  `create table settings (id integer not null primary key, default_greeting_id text, vault_check text)`,
  `create table trunks (seq ${sequence}, id text not null unique, host text not null, port integer not null,
    transport text not null, username text, password text, caller_id text, allowed_prefixes text not null,
    max_concurrent_calls integer, calls_per_second double precision, codecs text not null, health_check text not null,
    created_at bigint not null)`,
  `create table networks (seq ${sequence}, id text not null unique, name text not null, caller_id text,
    destination_count integer not null, created_at bigint not null)`,
  `create table network_destinations (network_id text not null references networks (id) on delete cascade,
    position integer not null, destination text not null, primary key (network_id, position))`,
  `create table network_trunks (network_id text not null references networks (id) on delete cascade,
    position integer not null, trunk_id text not null references trunks (id), primary key (network_id, position))`,
  `create table network_applications (network_id text not null references networks (id) on delete cascade,
    application_id text not null references applications (id) on delete cascade,
    primary key (application_id, network_id))`,
  `create table media (seq ${sequence}, id text not null unique, name text not null, clip_id text,
    created_at bigint not null)`,
  `create table media_applications (media_id text not null references media (id) on delete cascade,
    application_id text not null references applications (id) on delete cascade,
    primary key (application_id, media_id))`,
  `create table clips (id text not null primary key, media_id text not null, digest text not null,
    original_bytes bigint not null, original_type text not null, frame_count integer not null,
    created_at bigint not null)`,
  `create table clip_originals (clip_id text not null, part integer not null, octets ${octets} not null,
    primary key (clip_id, part))`,
  `create table clip_renditions (clip_id text not null references clips (id) on delete cascade, codec text not null,
    octets ${octets} not null, primary key (clip_id, codec))`,
  `create table grants (seq ${sequence}, grant_id_hash text not null, token_hash text not null unique,
    media_id text not null, application_id text not null, key_id text not null, state text not null,
    issued_at bigint not null, expires_at bigint not null, failed_tries integer not null, clip_id text)`,
  `create table blasts (seq ${sequence}, id text not null unique, application_id text not null,
    network_id text not null, media_ids text not null, greeting_id text, playlist text not null, retry text not null,
    trunk_ids text not null, caller_id text, dial_within_ms bigint not null, accepted_at bigint not null,
    state text not null, unfinished_calls integer not null)`,
  `create table calls (seq ${sequence}, id text not null, blast_id text not null, position integer not null,
    destination text not null, state text not null, outcome text, planned_trunk_id text not null,
    due_at bigint not null, dial_by bigint not null, attempt_count integer not null, unique (blast_id, position))`,
  `create table attempts (id text not null primary key, call_seq bigint not null, number integer not null, trunk_id text,
    sip_call_id text not null, from_tag text not null, branch text not null, dialled_at bigint not null,
    ringing_at bigint, answered_at bigint, ended_at bigint, outcome text, sip_status integer, sip_reason text,
    codec text, frames_sent text, packets_sent integer not null, packets_lost integer, jitter_ms double precision)`,
  `create table idempotency (seq ${sequence}, application_id text not null, idempotency_key text not null,
    blast_id text not null, request_digest text not null, created_at bigint not null,
    unique (application_id, idempotency_key))`,
  `create table id_sequence (kind text not null primary key, last bigint not null)`,
  `create table counters (${counterColumns})`,
];

const INDEXES: readonly string[] = [
  'create index app_keys_application on app_keys (application_id)',
  'create index applications_greeting on applications (default_greeting_id)',
  'create index network_trunks_trunk on network_trunks (trunk_id)',
  'create index network_applications_network on network_applications (network_id)',
  'create index media_applications_media on media_applications (media_id)',
  'create index media_clip on media (clip_id)',
  'create index clips_media on clips (media_id)',
  'create index grants_media on grants (media_id)',
  'create index blasts_application on blasts (application_id, seq)',
  "create index calls_due on calls (planned_trunk_id, due_at, seq) where state = 'waiting'",
  "create index calls_dial_by on calls (dial_by) where state = 'waiting'",
  'create index attempts_call on attempts (call_seq)',
  'create index attempts_open on attempts (call_seq) where ended_at is null',
];

const ROWS: readonly string[] = [
  'insert into settings (id) values (1)',
  "insert into counters (name, value) values ('undialled_calls', 0)",
  "insert into id_sequence (kind, last) values ('application', 100), ('app_key', 100), ('network', 100), ('trunk', 100), ('media', 100)",
];
