import { type Kysely, sql } from 'kysely';
import type { Ddl } from '../migrate.ts';
import { routeOf } from '../queues.ts';
import type { Schema } from '../schema.ts';

/** Waiting calls stand in queues, a ledger keeps paces and turns, large blasts are unfolded after their acceptance. */
export const up = async (db: Kysely<unknown>, ddl: Ddl): Promise<void> => {
  for (const statement of [...COLUMNS(ddl), ...INDEXES]) await sql.raw(statement).execute(db);
  await queueWaitingCalls(db as Kysely<Schema>);
};

const COLUMNS = ({ sequence }: Ddl): readonly string[] => [
  'alter table applications add column priority integer not null default 1',
  'alter table applications add column max_concurrent_calls integer',
  'alter table applications add column calls_per_second double precision',
  'alter table applications add column dial_by_seconds integer not null default 3600',
  `create table queues (seq ${sequence}, application_id text not null, trunk_ids text not null, route text not null,
    unique (application_id, route))`,
  'create table paces (id text not null primary key, next_at double precision not null, charged double precision not null)',
  "insert into paces (id, next_at, charged) values ('server', 0, 0)",
  'drop index calls_due',
  'alter table calls drop column planned_trunk_id',
  'alter table calls add column queue_seq bigint not null default 0',
  'alter table calls add column turn bigint',
  'alter table calls add column uncounted_attempts integer not null default 0',
  "alter table attempts add column application_id text not null default ''",
  'alter table blasts add column folded_calls integer not null default 0',
  'alter table blasts add column first_turn bigint not null default 0',
  'alter table blasts add column is_unsettled integer not null default 0',
];

const INDEXES: readonly string[] = [
  "create index calls_queue on calls (queue_seq, turn, seq) where state = 'waiting' and turn is not null",
  "create index calls_later on calls (due_at) where state = 'waiting' and turn is null",
  "create index calls_in_progress on calls (destination) where state in ('dialing', 'ringing', 'playing')",
  "create index calls_waiting_of_blast on calls (blast_id) where state = 'waiting'",
  'create index attempts_load on attempts (trunk_id, application_id) where ended_at is null',
  'create index blasts_unsettled on blasts (seq) where is_unsettled = 1',
  'create index paces_next on paces (next_at)',
  'create index network_destinations_destination on network_destinations (network_id, destination)',
];

const queueWaitingCalls = async (db: Kysely<Schema>): Promise<void> => {
  const active = db.selectFrom('blasts').select(['application_id', 'trunk_ids']).where('state', '=', 'active');
  for (const { application_id, trunk_ids } of await active.distinct().execute()) {
    const { seq } = await db
      .insertInto('queues')
      .values({ application_id, trunk_ids, route: routeOf(trunk_ids) })
      .returning('seq')
      .executeTakeFirstOrThrow();
    await sql`update calls set queue_seq = ${seq} where state <> 'finished' and blast_id in
      (select id from blasts where application_id = ${application_id} and trunk_ids = ${trunk_ids} and state = 'active')`.execute(
      db,
    );
  }
};
