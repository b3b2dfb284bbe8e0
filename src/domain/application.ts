import type { RetryRule } from './retry.ts';
import type { Silences } from './silences.ts';

/** A calling program; it holds one or more app keys. */
export interface Application {
  readonly id: string;
  readonly name: string;
  readonly defaultGreetingId: string | null;
  readonly retry: RetryRule;
  /** Its share of a trunk's calls, beside others that wait for it: 1 to `MAX_PRIORITY`. */
  readonly priority: number;
  /** Of all its calls on all nodes; null for no limit of its own. */
  readonly maxConcurrentCalls: number | null;
  readonly callsPerSecond: number | null;
  /** A call not dialled so many seconds after its acceptance ends `expired`. */
  readonly dialBySeconds: number;
  readonly silences: Silences;
  readonly createdAt: number;
}

export const MAX_PRIORITY = 10;
export const DEFAULT_DIAL_BY_SECONDS = 3600;

/** An app key just made: the only time its secret is seen. */
export interface NewAppKey {
  readonly id: string;
  readonly secret: string;
}

/** Who a valid app key speaks for. */
export interface Caller {
  readonly applicationId: string;
  readonly keyId: string;
}

export const MIN_APP_KEY_LENGTH = 16;
export const MAX_APP_KEY_LENGTH = 255;

/** What no more than one row of settings holds. */
export interface Settings {
  readonly defaultGreetingId: string | null;
}
