import type { RetryRule } from './retry.ts';

/** A calling program; it holds one or more app keys. */
export interface Application {
  readonly id: string;
  readonly name: string;
  readonly defaultGreetingId: string | null;
  readonly retry: RetryRule;
  readonly createdAt: number;
}

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
