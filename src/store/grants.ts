import { randomBytes, randomInt } from 'node:crypto';
import type { UpdateQueryBuilder, UpdateResult } from 'kysely';
import { AppError } from '../domain/app-error.ts';
import type { Caller } from '../domain/application.ts';
import type { Grant, GrantState, IssuedGrant, SpendingClip } from '../domain/grant.ts';
import type { Transaction, Views } from '../domain/store-port.ts';
import type { Context } from './context.ts';
import { requireStanding } from './nodes.ts';
import { dropDeadPartialUploads, dropPartialUploadsOf } from './partial-uploads.ts';
import type { Schema } from './schema.ts';

export const grantViews = ({ db, vault }: Context): Pick<Views, 'findGrant' | 'isGrantId'> => ({
  async findGrant(token) {
    const row = await db
      .selectFrom('grants')
      .leftJoin('app_keys', 'app_keys.id', 'grants.key_id')
      .select([
        'grants.seq',
        'grants.media_id',
        'grants.application_id',
        'grants.key_id',
        'grants.state',
        'grants.expires_at',
        'grants.failed_tries',
        'grants.upload_id',
        'grants.bytes',
        'app_keys.id as standing_key_id',
      ])
      .where('token_hash', '=', vault.hash('upload token', token))
      .executeTakeFirst();
    return row ? grantOf(row) : null;
  },
  async isGrantId(ref, grantId) {
    const row = await db
      .selectFrom('grants')
      .select('seq')
      .where('seq', '=', ref)
      .where('grant_id_hash', '=', vault.hash('grant id', grantId))
      .executeTakeFirst();
    return row !== undefined;
  },
});

interface Row {
  seq: number;
  media_id: string;
  application_id: string;
  key_id: string;
  state: string;
  expires_at: number;
  failed_tries: number;
  upload_id: string | null;
  bytes: number | null;
  standing_key_id: string | null;
}

const grantOf = (row: Row): Grant => ({
  ref: row.seq,
  mediaId: row.media_id,
  applicationId: row.application_id,
  keyId: row.key_id,
  state: row.state as GrantState,
  expiresAt: row.expires_at,
  failedTries: row.failed_tries,
  callerStands: row.standing_key_id !== null,
  spentBy: row.upload_id === null ? null : { uploadId: row.upload_id, bytes: row.bytes ?? 0 },
});

type GrantVerbs = Pick<
  Transaction,
  'issueGrant' | 'claimGrant' | 'releaseGrant' | 'countFailedTry' | 'spendGrant' | 'revokeGrant'
>;

export const grantVerbs = (context: Context): GrantVerbs => ({
  issueGrant: (grant) => issueGrant(context, grant),
  async claimGrant(ref, remoteAddress) {
    await requireStanding(context);
    const now = await context.nowMs();
    const { numUpdatedRows } = await context.db
      .updateTable('grants')
      .set({ state: 'claimed', node_id: context.nodeId(), claimed_at: now, remote_address: remoteAddress })
      .where('seq', '=', ref)
      .where('state', '=', 'open')
      .where('expires_at', '>', now)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  },
  async releaseGrant(ref, failed) {
    await context.db
      .updateTable('grants')
      .set((eb) => ({ state: 'open', failed_tries: eb('failed_tries', '+', failed ? 1 : 0) }))
      .where('seq', '=', ref)
      .where('state', '=', 'claimed')
      .where('node_id', '=', context.nodeId())
      .execute();
  },
  async countFailedTry(ref) {
    await context.db
      .updateTable('grants')
      .set((eb) => ({ failed_tries: eb('failed_tries', '+', 1) }))
      .where('seq', '=', ref)
      .execute();
  },
  spendGrant: (ref, clip, uploadId) => spendGrant(context, ref, clip, uploadId),
  revokeGrant: async (ref) => (await revoke(context, (grants) => grants.where('seq', '=', ref))) > 0,
});

const issueGrant = async (
  { db, vault, nowMs }: Context,
  grant: { mediaId: string; caller: Caller; ttlSeconds: number },
): Promise<IssuedGrant> => {
  const issued: IssuedGrant = { grantId: newGrantId(), token: newToken() };
  const now = await nowMs();
  await db
    .insertInto('grants')
    .values({
      grant_id_hash: vault.hash('grant id', issued.grantId),
      token_hash: vault.hash('upload token', issued.token),
      media_id: grant.mediaId,
      application_id: grant.caller.applicationId,
      key_id: grant.caller.keyId,
      state: 'open',
      issued_at: now,
      expires_at: now + grant.ttlSeconds * 1000,
      failed_tries: 0,
      clip_id: null,
    })
    .execute();
  return issued;
};

/** 20 decimal digits, the first not zero: always beyond 2^53. */
const newGrantId = (): string => {
  const rest = Array.from({ length: 19 }, () => randomInt(10)).join('');
  return `${randomInt(1, 10)}${rest}`;
};

/** 128 random bits as 39 decimal digits. */
const newToken = (): string =>
  BigInt(`0x${randomBytes(16).toString('hex')}`)
    .toString()
    .padStart(39, '0');

const spendGrant = async (
  context: Context,
  ref: number,
  clip: SpendingClip,
  uploadId: string | null,
): Promise<void> => {
  const { id: clip_id, digest, bytes } = clip;
  const { numUpdatedRows } = await context.db
    .updateTable('grants')
    .set({ state: 'spent', clip_id, digest, bytes, upload_id: uploadId, spent_at: await context.nowMs() })
    .where('seq', '=', ref)
    .where('state', '=', 'claimed')
    .where('node_id', '=', context.nodeId())
    .where('key_id', 'in', (eb) => eb.selectFrom('app_keys').select('id').whereRef('app_keys.id', '=', 'grants.key_id'))
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw await whyNotSpent(context, ref);
  await dropPartialUploadsOf(context, ref);
};

/** The grant's own end comes before that of its key, as it does when an upload begins. */
const whyNotSpent = async ({ db, nodeId }: Context, ref: number): Promise<AppError> => {
  const grant = await db.selectFrom('grants').select(['state', 'node_id']).where('seq', '=', ref).executeTakeFirst();
  return grant?.state === 'claimed' && grant.node_id === nodeId()
    ? new AppError('grant_refused', 'The application or its key was revoked during the upload.')
    : new AppError('grant_gone', 'This grant was revoked during the upload. Ask for a new one.');
};

/** Revokes what is not spent of the grants for a media id, all or those of one application; partial uploads go too. */
export const revokeGrants = async (context: Context, mediaId: string, applicationId?: string): Promise<void> => {
  await revoke(context, (grants) =>
    grants
      .where('media_id', '=', mediaId)
      .$if(applicationId !== undefined, (query) => query.where('application_id', '=', applicationId ?? '')),
  );
};

type GrantUpdate = UpdateQueryBuilder<Schema, 'grants', 'grants', UpdateResult>;

const revoke = async (context: Context, which: (grants: GrantUpdate) => GrantUpdate): Promise<number> => {
  const grants = context.db
    .updateTable('grants')
    .set({ state: 'revoked', revoked_at: await context.nowMs() })
    .where('state', 'in', ['open', 'claimed']);
  const { numUpdatedRows } = await which(grants).executeTakeFirst();
  await dropDeadPartialUploads(context);
  return Number(numUpdatedRows);
};
