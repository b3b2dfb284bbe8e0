import { type Static, Type } from 'typebox';
import type { GrantRecord } from '../domain/grant.ts';
import { isoTime } from './iso-time.ts';
import { nullable, oneOf } from './schema.ts';

const Time = nullable(Type.String());

export const GrantJson = Type.Object({
  id: Type.String({ description: 'A number for this record, no secret; the grant id is not shown again' }),
  mediaId: Type.String(),
  applicationId: Type.String({ description: 'Who asked for it' }),
  appKeyId: Type.String({ description: 'With which of its keys' }),
  state: oneOf(['open', 'claimed', 'spent', 'revoked', 'expired']),
  issuedAt: Type.String(),
  expiresAt: Type.String(),
  claimedAt: Time,
  remoteAddress: nullable(Type.String({ description: 'Where the upload came from that last held it' })),
  spentAt: Time,
  revokedAt: Time,
  failedTries: Type.Integer(),
  clip: nullable(
    Type.Object({
      id: Type.String(),
      sha256: Type.String({ description: 'Of the octets that were uploaded' }),
      bytes: Type.Integer(),
    }),
  ),
});

const timeOrNull = (atMs: number | null): string | null => (atMs === null ? null : isoTime(atMs));

export const grantJson = (grant: GrantRecord): Static<typeof GrantJson> => ({
  id: String(grant.ref),
  mediaId: grant.mediaId,
  applicationId: grant.applicationId,
  appKeyId: grant.keyId,
  state: grant.state,
  issuedAt: isoTime(grant.issuedAt),
  expiresAt: isoTime(grant.expiresAt),
  claimedAt: timeOrNull(grant.claimedAt),
  remoteAddress: grant.remoteAddress,
  spentAt: timeOrNull(grant.spentAt),
  revokedAt: timeOrNull(grant.revokedAt),
  failedTries: grant.failedTries,
  clip: grant.clip && { id: grant.clip.id, sha256: grant.clip.digest, bytes: grant.clip.bytes },
});
