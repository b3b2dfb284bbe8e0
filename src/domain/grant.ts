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
  /** The resumable upload that spent it. */
  readonly spentBy: { readonly uploadId: string; readonly bytes: number } | null;
}

/** What there is to know of a grant, without its secrets. */
export interface GrantRecord {
  readonly ref: number;
  readonly mediaId: string;
  /** Who asked for it. */
  readonly applicationId: string;
  readonly keyId: string;
  readonly state: GrantState | 'expired';
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** When an upload last held it, and from which address that upload came. */
  readonly claimedAt: number | null;
  readonly remoteAddress: string | null;
  readonly spentAt: number | null;
  readonly revokedAt: number | null;
  readonly failedTries: number;
  /** What spent it: the clip may be gone since. */
  readonly clip: SpendingClip | null;
}

export interface SpendingClip {
  readonly id: string;
  /** SHA-256 of the octets that were uploaded, in hex. */
  readonly digest: string;
  readonly bytes: number;
}

/** The secrets of a grant just issued: the only time they are seen. */
export interface IssuedGrant {
  /** Decimal digits beyond 2^53: a string, never a number. */
  readonly grantId: string;
  /** 39 decimal digits, 128 random bits. */
  readonly token: string;
}
