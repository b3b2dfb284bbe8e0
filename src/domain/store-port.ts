import type { BlastVerbs, BlastViews } from './blast-port.ts';
import type { CallVerbs, CallViews } from './call-port.ts';
import type { ConfigurationVerbs, ConfigurationViews } from './configuration-port.ts';
import type { EventVerbs, EventViews } from './event-port.ts';
import type { GrantVerbs, GrantViews } from './grant-port.ts';
import type { MediaVerbs, MediaViews } from './media-port.ts';
import type { NodeVerbs, NodeViews } from './node-port.ts';

export type * from './blast-port.ts';
export type * from './call-port.ts';
export type * from './configuration-port.ts';
export type * from './event-port.ts';
export type * from './grant-port.ts';
export type * from './media-port.ts';
export type * from './node-port.ts';
export type * from './page.ts';

/**
 * The store, in verbs. Work handed to `transact` is group-committed: many callers share one commit (one fsync), and
 * each promise settles only when its own work is durable. Work that throws is rolled back alone. If the commit
 * itself fails, every caller in the group gets `store_unavailable` (or `disk_full`).
 */
export interface Store {
  transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Committed data only; does not wait for a commit. */
  view<T>(work: (views: Views) => Promise<T>): Promise<T>;
  /** What is claimed from now on is claimed by this node. */
  actAs(nodeId: string): void;
  /** False if no other process can be using the database: former nodes are dead for sure. */
  readonly isShared: boolean;
  close(): Promise<void>;
}

/** Reads. Absent things are null; lists are newest first. */
export interface Views
  extends ConfigurationViews,
    MediaViews,
    GrantViews,
    BlastViews,
    CallViews,
    NodeViews,
    EventViews {
  /** Milliseconds since 1970 by the database's clock. */
  nowMs(): Promise<number>;
}

/**
 * Reads and writes of one unit of work. An id that is null is allocated. Creating with a taken id throws
 * `duplicate_id`; naming another row that does not exist throws `invalid_field` with the field's name.
 */
export interface Transaction
  extends Views,
    ConfigurationVerbs,
    MediaVerbs,
    GrantVerbs,
    BlastVerbs,
    CallVerbs,
    NodeVerbs,
    EventVerbs {
  /** At start: drops partial uploads of dead grants and clips that nothing needs, forgets idempotency keys past 24 h. */
  sweep(): Promise<void>;
  /**
   * Drops some of the finished blasts accepted so long ago with their calls, attempts and SIP messages, of the grants that
   * ended and of the nodes that were taken over so long ago. How many of all; 0 if none is left.
   */
  dropOldRecords(keepForMs: number): Promise<number>;
}
