/** Permission for one upload to one media id: `open -> claimed -> spent`, back to `open` on any failure. */
export type GrantState = 'open' | 'claimed' | 'spent' | 'revoked';

export const MAX_FAILED_TRIES = 20;

/** A grant as the store holds it; its id and token are known there only as keyed hashes. */
export interface Grant {
  /** The store's own number of the row, no secret. */
  readonly ref: number;
  readonly mediaId: string;
  readonly applicationId: string;
  readonly keyId: string;
  readonly state: GrantState;
  readonly expiresAt: number;
  readonly failedTries: number;
  /** False if the application or the key that asked for the grant has been revoked since. */
  readonly callerStands: boolean;
}

/** The secrets of a grant just issued: the only time they are seen. */
export interface IssuedGrant {
  /** Decimal digits beyond 2^53: a string, never a number. */
  readonly grantId: string;
  /** 39 decimal digits, 128 random bits. */
  readonly token: string;
}
