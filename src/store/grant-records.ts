import type { GrantRecord, GrantState } from '../domain/grant.ts';
import type { Views } from '../domain/store-port.ts';
import type { Context } from './context.ts';
import { listed, windowOf } from './page.ts';

/** As long as it is, it is no reference: those are the numbers of rows. */
const GRANT_ID = /^[0-9]{20}$/;
const REF = /^[1-9][0-9]{0,14}$/;

export const grantRecordViews = (context: Context): Pick<Views, 'findGrantRecord' | 'listGrants'> => ({
  async findGrantRecord(id, applicationId) {
    const isGrantId = GRANT_ID.test(id);
    if (!isGrantId && !REF.test(id)) return null;
    const row = await recordsOf(context, { applicationId })
      .$if(isGrantId, (query) => query.where('grant_id_hash', '=', context.vault.hash('grant id', id)))
      .$if(!isGrantId, (query) => query.where('seq', '=', Number(id)))
      .executeTakeFirst();
    return row ? recordOf(row, await context.nowMs()) : null;
  },
  async listGrants(page, filter) {
    const window = windowOf(page);
    const rows = await recordsOf(context, filter)
      .where('seq', '<', window.before)
      .orderBy('seq', 'desc')
      .limit(window.take)
      .execute();
    const now = await context.nowMs();
    const { items, next } = listed(rows, window);
    return { items: items.map((row) => recordOf(row, now)), next };
  },
});

const recordsOf = (
  { db }: Context,
  { mediaId, applicationId }: { mediaId?: string | undefined; applicationId?: string | undefined },
) =>
  db
    .selectFrom('grants')
    .selectAll()
    .$if(mediaId !== undefined, (query) => query.where('media_id', '=', mediaId ?? ''))
    .$if(applicationId !== undefined, (query) => query.where('application_id', '=', applicationId ?? ''));

type Row = Awaited<ReturnType<ReturnType<typeof recordsOf>['execute']>>[number];

const recordOf = (row: Row, now: number): GrantRecord => ({
  ref: row.seq,
  mediaId: row.media_id,
  applicationId: row.application_id,
  keyId: row.key_id,
  state: row.state === 'open' && row.expires_at <= now ? 'expired' : (row.state as GrantState),
  issuedAt: row.issued_at,
  expiresAt: row.expires_at,
  claimedAt: row.claimed_at,
  remoteAddress: row.remote_address,
  spentAt: row.spent_at,
  revokedAt: row.revoked_at,
  failedTries: row.failed_tries,
  clip: row.clip_id === null ? null : { id: row.clip_id, digest: row.digest ?? '', bytes: row.bytes ?? 0 },
});
