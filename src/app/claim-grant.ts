import { AppError } from '../domain/app-error.ts';
import { type Grant, MAX_FAILED_TRIES } from '../domain/grant.ts';
import type { Store, Transaction, Views } from '../domain/store-port.ts';

/** What an upload shows before its body: the token is the capability, a grant id sent along must match. */
export interface GrantClaim {
  readonly mediaId: string;
  readonly token: string;
  readonly grantIds: readonly string[];
  /** Where the upload comes from, for the record. */
  readonly remoteAddress: string;
}

/**
 * Claims the grant for one upload and gives its reference. Throws, in this order: `grant_unknown`, `grant_gone`,
 * `grant_refused` (counted as a failed try), `grant_exhausted`, `grant_busy`.
 */
export const claimGrant = async (store: Store, claim: GrantClaim): Promise<number> => {
  // A refusal is returned and thrown after the commit: thrown inside, it would undo the counting of the try.
  const verdict = await store.transact((tx) => tryClaim(tx, claim));
  if (verdict instanceof AppError) throw verdict;
  return verdict;
};

const tryClaim = async (tx: Transaction, claim: GrantClaim): Promise<number | AppError> => {
  const grant = await tryFind(tx, claim);
  if (grant instanceof AppError) return grant;
  return (await tx.claimGrant(grant.ref, claim.remoteAddress)) ? grant.ref : grantBusy();
};

/** What the resumable upload was that spent the grant, until the grant's time is over; null if that was another. */
export const findFinishedUpload = (
  store: Store,
  claim: GrantClaim,
  uploadId: string,
): Promise<{ readonly bytes: number; readonly expiresAt: number } | null> =>
  store.view(async (views) => {
    const grant = await views.findGrant(claim.token);
    if (grant?.mediaId !== claim.mediaId || grant.spentBy?.uploadId !== uploadId) return null;
    if ((await views.nowMs()) >= grant.expiresAt || !(await mayUse(views, grant, claim.grantIds))) return null;
    return { bytes: grant.spentBy.bytes, expiresAt: grant.expiresAt };
  });

/** The grant, open; throws as `claimGrant` does, and claims nothing. */
export const findOpenGrant = async (store: Store, claim: GrantClaim): Promise<Grant> => {
  const verdict = await store.transact((tx) => tryFind(tx, claim));
  if (verdict instanceof AppError) throw verdict;
  return verdict;
};

const tryFind = async (tx: Transaction, claim: GrantClaim): Promise<Grant | AppError> => {
  const grant = await tx.findGrant(claim.token);
  if (!grant || grant.mediaId !== claim.mediaId) {
    return new AppError('grant_unknown', 'There is no such upload grant for this media id.');
  }
  if (grant.state === 'spent' || grant.state === 'revoked' || (await tx.nowMs()) >= grant.expiresAt) {
    return new AppError('grant_gone', 'The upload grant is spent, expired or revoked: request a new one.');
  }
  if (!(await mayUse(tx, grant, claim.grantIds))) return refuse(tx, grant);
  if (grant.failedTries >= MAX_FAILED_TRIES) {
    return new AppError('grant_exhausted', 'Too many uploads with this grant have failed: request a new one.');
  }
  return grant.state === 'open' ? grant : grantBusy();
};

const grantBusy = (): AppError => new AppError('grant_busy', 'Another upload is using this grant right now.');

const mayUse = async (views: Views, grant: Grant, grantIds: readonly string[]): Promise<boolean> => {
  if (!grant.callerStands) return false;
  for (const grantId of grantIds) if (!(await views.isGrantId(grant.ref, grantId))) return false;
  return true;
};

const refuse = async (tx: Transaction, grant: Grant): Promise<AppError> => {
  if (grant.failedTries < MAX_FAILED_TRIES) await tx.countFailedTry(grant.ref);
  return grantRefused();
};

export const grantRefused = (): AppError =>
  new AppError(
    'grant_refused',
    'The grant id does not belong to this upload, or the application or its key was revoked.',
  );
