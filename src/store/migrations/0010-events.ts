import { type Kysely, sql } from 'kysely';
import type { Ddl } from '../migrate.ts';

/**
 * Events, written by triggers in the transaction of their fact, and the webhooks they go to. `seq` counts up as facts
 * are written, `position` as they are published, after their commit: see ADR 21.
 */
export const up = async (db: Kysely<unknown>, ddl: Ddl): Promise<void> => {
  for (const statement of [...TABLES(ddl), ...INDEXES, ...ROWS, ...ddl.eventTriggers])
    await sql.raw(statement).execute(db);
};

const TABLES = ({ sequence }: Ddl): readonly string[] => [
  `create table events (seq ${sequence}, position bigint, application_id text not null, type text not null,
    at bigint not null, blast_id text, call_id text, outcome text, media_id text, trunk_id text, webhook_id text,
    detail text)`,
  'create table event_log (id integer not null primary key, last bigint not null, swept bigint not null)',
  `create table trunk_health (trunk_id text not null primary key references trunks (id) on delete cascade,
    state text not null)`,
  `create table webhooks (seq ${sequence}, id text not null unique,
    application_id text not null references applications (id) on delete cascade, url text not null, types text,
    secret text not null, previous_secret text, previous_until bigint, disabled_reason text, failing_since bigint,
    created_at bigint not null)`,
  `create table webhook_deliveries (position bigint not null,
    webhook_id text not null references webhooks (id) on delete cascade, event_seq bigint not null, call_id text,
    attempts integer not null, queued_at bigint not null, next_at bigint, primary key (position, webhook_id))`,
];

const INDEXES: readonly string[] = [
  'create index events_unpublished on events (seq) where position is null',
  'create index events_application on events (application_id, position) where position is not null',
  'create index webhooks_application on webhooks (application_id, seq)',
  'create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_at) where next_at is not null',
  'create index webhook_deliveries_call on webhook_deliveries (webhook_id, call_id, position)',
];

const ROWS: readonly string[] = [
  'insert into event_log (id, last, swept) values (1, 0, 0)',
  "insert into id_sequence (kind, last) values ('webhook', 100)",
];
