import type { Kysely } from 'kysely';
import type { JsonRows } from './json-rows.ts';
import type { RowLocks } from './row-locks.ts';
import type { Schema } from './schema.ts';
import type { Vault } from './vault.ts';

/** What the verbs work with, the same on every database. */
export interface Context {
  readonly db: Kysely<Schema>;
  readonly vault: Vault;
  /** Milliseconds since 1970 by the database's clock, as it would be had nobody set it. */
  readonly nowMs: () => Promise<number>;
  /** The database's clock as it is, read anew. */
  readonly readClockMs: () => Promise<number>;
  /** By how much that is ahead of `nowMs`. */
  readonly ahead: { ms: number };
  readonly locks: RowLocks;
  readonly jsonRows: JsonRows;
  /** The node that claims; '' if none was named. */
  readonly nodeId: () => string;
}
