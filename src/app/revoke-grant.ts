import { AppError } from '../domain/app-error.ts';
import type { GrantRecord } from '../domain/grant.ts';
import type { Store } from '../domain/store-port.ts';

/** Takes a grant, by its reference or its grant id; with `applicationId`, only one that it asked for. */
export type RevokeGrant = (id: string, applicationId?: string) => Promise<GrantRecord>;

/**
 * Revokes a grant that is not spent; an upload that holds it then fails. To revoke it again changes nothing.
 * Throws `not_found` for an unknown or foreign grant and `already_finished` for a spent one.
 */
export const createRevokeGrant =
  (store: Store): RevokeGrant =>
  (id, applicationId) =>
    store.transact(async (tx) => {
      const grant = await tx.findGrantRecord(id, applicationId);
      if (!grant) throw noSuchGrant();
      await tx.revokeGrant(grant.ref);
      const revoked = await tx.findGrantRecord(id, applicationId);
      if (revoked?.state === 'revoked') return revoked;
      throw new AppError('already_finished', 'The grant is spent: there is nothing left to revoke.');
    });

export const noSuchGrant = (): AppError => new AppError('not_found', 'There is no such grant.');
