import { AppError } from '../domain/app-error.ts';
import type { IssuedGrant } from '../domain/grant.ts';
import type { Store, Transaction } from '../domain/store-port.ts';
import { isStoreFailure } from './store-failure.ts';

export interface GrantRequest {
  readonly appKey: string;
  readonly mediaId: string;
}

export type IssueGrant = (request: GrantRequest) => Promise<IssuedGrant>;

/**
 * Issues a grant for one upload to a media of the caller's application.
 * Throws `media_not_owned` (unknown key, unknown media and foreign media alike) and `store_unavailable`.
 */
export const createIssueGrant =
  (options: { readonly store: Store; readonly grantTtlSeconds: number }): IssueGrant =>
  async (request) => {
    try {
      return await options.store.transact((tx) => issue(tx, request, options.grantTtlSeconds));
    } catch (error) {
      if (!isStoreFailure(error)) throw error;
      throw new AppError('store_unavailable', 'The grant cannot be stored at this time.', { cause: error });
    }
  };

const issue = async (tx: Transaction, request: GrantRequest, ttlSeconds: number): Promise<IssuedGrant> => {
  const { mediaId } = request;
  const caller = await tx.findCaller(request.appKey);
  // Asked for an unknown key too, so that every kind of outsider costs the same work.
  const owned = await tx.isMediaOwned(mediaId, caller?.applicationId ?? null);
  if (caller && owned) return tx.issueGrant({ mediaId, caller, ttlSeconds });
  throw new AppError(
    'media_not_owned',
    'The application key is not valid, or the media id is not associated with its application.',
  );
};
