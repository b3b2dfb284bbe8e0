import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { CarrierEvent } from './carrier-event.ts';

/** What a run leaves behind, told by three who do not know of each other: clients, carrier, database. */
export interface Evidence {
  readonly posts: readonly Post[];
  readonly uploads: readonly Upload[];
  readonly carrier: readonly CarrierEvent[];
  readonly record: DatabaseRecord;
}

/** A 202 that a client holds. */
export interface Post {
  readonly idempotencyKey: string;
  readonly blastId: string;
  /** Destinations of the network that was called. */
  readonly calls: number;
}

/** What came of all uploads with one grant, the only one of its media. */
export interface Upload {
  readonly mediaId: string;
  /** Answers 201. */
  readonly created: number;
}

export interface DatabaseRecord {
  readonly blasts: readonly { id: string; state: string }[];
  readonly calls: readonly { seq: number; blast_id: string; state: string; outcome: string | null }[];
  readonly attempts: readonly AttemptRow[];
  readonly keys: readonly { idempotency_key: string; blast_id: string }[];
  readonly grants: readonly { media_id: string; state: string; clip_id: string | null }[];
  readonly media: readonly { id: string; clip_id: string | null }[];
  readonly clips: readonly { id: string; media_id: string }[];
  /** Parts of uploads that are to become a clip. */
  readonly staged: readonly { clip_id: string }[];
  readonly undialled: readonly { value: number }[];
}

export interface AttemptRow {
  readonly call_seq: number;
  readonly number: number;
  readonly sip_call_id: string;
  /** Null if nothing that the peer said was recorded. */
  readonly ringing_at: number | null;
  readonly ended_at: number | null;
  readonly outcome: string | null;
}

/** Asks a database, whichever it is. */
export interface Database {
  rows(query: string): Promise<unknown[]>;
  close(): Promise<void>;
}

const QUERIES: Readonly<Record<keyof DatabaseRecord, string>> = {
  blasts: 'select id, state from blasts',
  calls: 'select seq, blast_id, state, outcome from calls',
  attempts: 'select call_seq, number, sip_call_id, ringing_at, ended_at, outcome from attempts order by number',
  keys: 'select idempotency_key, blast_id from idempotency',
  grants: 'select media_id, state, clip_id from grants',
  media: 'select id, clip_id from media',
  clips: 'select id, media_id from clips',
  staged: 'select clip_id from staged_clips where clip_id not in (select id from clips)',
  undialled: "select value from counters where name = 'undialled_calls'",
};

export const readRecord = async (database: Database): Promise<DatabaseRecord> => {
  const tables: Record<string, unknown[]> = {};
  for (const [table, query] of Object.entries(QUERIES)) tables[table] = await database.rows(query);
  return tables as unknown as DatabaseRecord;
};

export const openSqliteFile = (path: string): Database => {
  const database = new DatabaseSync(path, { readOnly: true });
  return {
    rows: async (query) => database.prepare(query).all(),
    close: async () => database.close(),
  };
};

export const openPostgres = (url: string): Database => {
  const types = { getTypeParser: (oid: number) => (oid === 20 ? Number : pg.types.getTypeParser(oid)) };
  const pool = new pg.Pool({ connectionString: url, types, max: 1 });
  return {
    rows: async (query) => (await pool.query(query)).rows,
    close: () => pool.end(),
  };
};
