import type { Caller } from './application.ts';
import type { Grant, GrantRecord, IssuedGrant, SpendingClip } from './grant.ts';
import type { Listing, Page } from './page.ts';
import type { PartialUpload } from './partial-upload.ts';

/** Reads of grants and of uploads in parts. */
export interface GrantViews {
  findGrant(token: string): Promise<Grant | null>;
  /** Whether `grantId` is the id that was issued with the grant. */
  isGrantId(ref: number, grantId: string): Promise<boolean>;
  /** By the reference or by the grant id; with `applicationId`, only one that it asked for. */
  findGrantRecord(id: string, applicationId?: string): Promise<GrantRecord | null>;
  listGrants(page: Page, filter: { mediaId?: string; applicationId?: string }): Promise<Listing<GrantRecord>>;

  /** A partial upload of this grant. */
  findPartialUpload(ref: number, uploadId: string): Promise<PartialUpload | null>;
  /** What was sent of it, in parts of `PART_BYTES`, in order. */
  findPartialPart(uploadId: string, part: number): Promise<Uint8Array | null>;
}

export interface GrantVerbs {
  issueGrant(grant: { mediaId: string; caller: Caller; ttlSeconds: number }): Promise<IssuedGrant>;
  /** Compare and set `open -> claimed` by this node; false if another upload was first. */
  claimGrant(ref: number, remoteAddress: string): Promise<boolean>;
  /** `claimed -> open` if this node has claimed it; `failed` counts a failed try. */
  releaseGrant(ref: number, failed: boolean): Promise<void>;
  /** Counts a failed try of a grant that was never claimed by it. */
  countFailedTry(ref: number): Promise<void>;
  /**
   * `claimed -> spent`, and drops its partial uploads; throws `grant_gone` if it was revoked meanwhile,
   * `grant_refused` if its key was.
   */
  spendGrant(ref: number, clip: SpendingClip, uploadId: string | null): Promise<void>;
  /** `open | claimed -> revoked`, and drops its partial uploads; false if it is spent or revoked already. */
  revokeGrant(ref: number): Promise<boolean>;

  /** Begins a resumable upload; the oldest one of the grant dies if there are `MAX_PARTIAL_UPLOADS`. */
  beginPartialUpload(ref: number, upload: Omit<PartialUpload, 'offsetBytes'>): Promise<void>;
  /**
   * Compare and set: adds octets at this offset, all within one part, or is false because the upload is at another
   * offset, is gone, or has no room for them.
   */
  appendToPartialUpload(uploadId: string, offsetBytes: number, octets: Uint8Array): Promise<boolean>;
  /** False if the grant has no such upload. */
  dropPartialUpload(ref: number, uploadId: string): Promise<boolean>;
  /** Drops the partial uploads of grants that are spent, revoked or expired; how many. */
  dropDeadPartialUploads(): Promise<number>;
}
