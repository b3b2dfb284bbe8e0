import { type Kysely, sql } from 'kysely';
import * as initial from './migrations/0001-initial.ts';
import * as partialUploads from './migrations/0002-partial-uploads.ts';
import * as trunkTransports from './migrations/0003-trunk-transports.ts';
import * as processing from './migrations/0006-processing-and-checksums.ts';
import * as nodes from './migrations/0007-nodes.ts';
import * as dialogs from './migrations/0008-dialogs.ts';
import * as grantRecords from './migrations/0009-grant-records.ts';
import * as events from './migrations/0010-events.ts';
import * as queues from './migrations/0011-queues.ts';
import * as sipMessages from './migrations/0013-sip-messages.ts';
import * as whatWasHeard from './migrations/0014-what-was-heard.ts';
import * as silences from './migrations/0015-silences.ts';
import * as refusals from './migrations/0016-refusals.ts';
import * as clock from './migrations/0017-clock.ts';
import * as oldRecords from './migrations/0018-old-records.ts';
import * as eventsInOrder from './migrations/0019-events-in-order.ts';
import * as steadyEvents from './migrations/0020-steady-events.ts';
import * as loudness from './migrations/0021-loudness.ts';
import * as overloadPaces from './migrations/0022-overload-paces.ts';
import type { Schema } from './schema.ts';

/** Words of the data definition language in which databases differ. */
export interface Ddl {
  /** Type of a primary key that counts up by itself. */
  readonly sequence: string;
  /** Type of a column of octets. */
  readonly octets: string;
  /** Of the table of counters: `name` and `value`, and what else spreads a counter over rows that add up. */
  readonly counterColumns: string;
  /** Triggers that keep counts as calls change; each migration that changes the tables may need others. */
  readonly callTriggers: readonly string[];
  /** Triggers that write events with the facts. */
  readonly eventTriggers: readonly string[];
  /** Replaces them by those that take the time from the clock that rows are written by. */
  readonly steadyEventTriggers: readonly string[];
}

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly up: (db: Kysely<unknown>, ddl: Ddl) => Promise<void>;
}

const MIGRATIONS: readonly Migration[] = [
  { version: 1, name: 'initial', up: initial.up },
  { version: 2, name: 'partial uploads', up: partialUploads.up },
  { version: 3, name: 'trunk transports', up: trunkTransports.up },
  { version: 6, name: 'processing and checksums', up: processing.up },
  { version: 7, name: 'nodes', up: nodes.up },
  { version: 8, name: 'dialogs', up: dialogs.up },
  { version: 9, name: 'grant records', up: grantRecords.up },
  { version: 10, name: 'events', up: events.up },
  { version: 11, name: 'queues', up: queues.up },
  { version: 13, name: 'sip messages', up: sipMessages.up },
  { version: 14, name: 'what was heard', up: whatWasHeard.up },
  { version: 15, name: 'silences', up: silences.up },
  { version: 16, name: 'refusals', up: refusals.up },
  { version: 17, name: 'clock', up: clock.up },
  { version: 18, name: 'old records', up: oldRecords.up },
  { version: 19, name: 'events in order', up: eventsInOrder.up },
  { version: 20, name: 'steady events', up: steadyEvents.up },
  { version: 21, name: 'loudness', up: loudness.up },
  { version: 22, name: 'overload paces', up: overloadPaces.up },
];

const SCHEMA_VERSION = Math.max(...MIGRATIONS.map((migration) => migration.version));

/** Brings the schema up to date; to be called inside a transaction. Throws if a newer Ringcast wrote the database. */
export const migrate = async (
  db: Kysely<Schema>,
  ddl: Ddl,
  options: { path: string; nowMs: number },
): Promise<void> => {
  await sql`create table if not exists schema_migrations
    (version integer not null primary key, name text not null, applied_at bigint not null)`.execute(db);
  const applied = await appliedVersions(db);
  const newest = Math.max(...applied);
  if (newest > SCHEMA_VERSION)
    throw new Error(
      `The database ${options.path} was written by a newer Ringcast (schema ${newest}, this one knows ${SCHEMA_VERSION}): install that version or restore a backup.`,
    );
  for (const migration of MIGRATIONS.filter(({ version }) => !applied.includes(version))) {
    await migration.up(db as Kysely<unknown>, ddl);
    const { version, name } = migration;
    await db.insertInto('schema_migrations').values({ version, name, applied_at: options.nowMs }).execute();
  }
};

const appliedVersions = async (db: Kysely<Schema>): Promise<readonly number[]> => {
  const rows = await db.selectFrom('schema_migrations').select('version').execute();
  return rows.map((row) => row.version);
};
