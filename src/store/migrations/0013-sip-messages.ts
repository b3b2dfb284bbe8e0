import { type Kysely, sql } from 'kysely';
import type { Ddl } from '../migrate.ts';

/**
 * The SIP messages of attempts. No foreign key: a trace is not worth a failed commit, and its rows go by age.
 * `sip_octets` counts the octets of all messages ever kept.
 */
export const up = async (db: Kysely<unknown>, ddl: Ddl): Promise<void> => {
  for (const statement of STATEMENTS(ddl)) await sql.raw(statement).execute(db);
};

const STATEMENTS = ({ sequence, octets }: Ddl): readonly string[] => [
  `create table sip_messages (seq ${sequence}, attempt_id text not null, direction text not null,
    transport text not null, local_address text not null, local_port integer not null, remote_address text not null,
    remote_port integer not null, seen_at bigint not null, octets ${octets} not null, begins_at_octet bigint not null)`,
  'create index sip_messages_attempt on sip_messages (attempt_id, seq)',
  'alter table attempts add column sip_messages_omitted integer not null default 0',
  "insert into counters (name, value) values ('sip_octets', 0)",
];
