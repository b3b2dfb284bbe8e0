import type { Event, EventType } from './event.ts';

/** Why an endpoint gets nothing: asked for, it answered 410, or all failed for three days. */
export type DisabledReason = 'asked' | 'gone' | 'failing';

/** An address of an application to which its events are posted. */
export interface Webhook {
  readonly id: string;
  readonly applicationId: string;
  readonly url: string;
  /** Null for all types. */
  readonly types: readonly EventType[] | null;
  readonly disabledReason: DisabledReason | null;
  /** Since when every delivery has failed; null if the last one did not. */
  readonly failingSince: number | null;
  /** Until when the secret before the last rotation signs too. */
  readonly previousSecretUntil: number | null;
  readonly createdAt: number;
}

/** One event on its way to one endpoint, claimed by this node for `CLAIM_MS`. */
export interface Delivery {
  readonly webhookId: string;
  readonly url: string;
  /** Those that sign, the newest first. */
  readonly secrets: readonly string[];
  readonly event: Event;
  /** Counted from 1. */
  readonly attempt: number;
  /** When it was claimed, by the database's clock. */
  readonly claimedAt: number;
}

export type DeliveryResult =
  | { readonly kind: 'delivered' }
  /** `isGone`: the receiver answered 410 and wants nothing more. */
  | { readonly kind: 'failed'; readonly isGone: boolean; readonly retryAfterMs: number };

/** What became of a delivery that failed: tried again later, given up, or its endpoint with it. */
export type DeliveryFate = 'done' | 'again' | 'given_up' | 'disabled';

export const MAX_WEBHOOKS = 10;
/** A delivery takes 15 s at most; whoever claimed it and says nothing for this long has died. */
export const CLAIM_MS = 20_000;
/** A delivery that failed for this long is given up; so is an endpoint at which all failed for this long. */
export const GIVE_UP_AFTER_MS = 3 * 24 * 3_600_000;
export const OLD_SECRET_SIGNS_MS = 24 * 3_600_000;

const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 6 * 3_600_000;

/** How long to wait after the attempt of that number: 1 s, doubled up to 6 h, less up to a fifth by `jitter` (0 to 1). */
export const retryDelayMs = (attempt: number, jitter: number): number =>
  Math.round(Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), LONGEST_DELAY_MS) * (1 - 0.2 * jitter));
