import { sql } from 'kysely';
import type { Transaction } from '../domain/store-port.ts';
import { dropReplacedClips, dropUnusedClips } from './clips.ts';
import type { Context } from './context.ts';
import { forgetAllOldKeys } from './idempotency.ts';
import { dropDeadPartialUploads } from './partial-uploads.ts';

/** Longer than a request may take and its decoder may then work. */
const LONGEST_CLAIM_MS = 60 * 60_000;
/** Written out, not bound: only then may a database use the index of claimed grants. */
const CLAIMED = sql.lit('claimed');
const RECORD_KEPT_MS = 90 * 24 * 3_600_000;

type SweepVerbs = Pick<Transaction, 'sweep' | 'reopenStaleGrants' | 'dropOldGrants' | 'dropReplacedClips'>;

export const sweepVerbs = (context: Context): SweepVerbs => ({
  async sweep() {
    const { db } = context;
    await db.updateTable('grants').set({ state: 'open' }).where('state', '=', 'claimed').execute();
    await db
      .deleteFrom('clip_originals')
      .where('clip_id', 'not in', (eb) => eb.selectFrom('clips').select('id'))
      .execute();
    await dropDeadPartialUploads(context);
    await dropUnusedClips(context);
    await forgetAllOldKeys(context);
  },
  reopenStaleGrants: () => reopenStaleGrants(context),
  dropOldGrants: (limit) => dropOldGrants(context, limit),
  dropReplacedClips: (limit) => dropReplacedClips(context, limit),
});

const reopenStaleGrants = async ({ db, nowMs }: Context): Promise<number> => {
  const { numUpdatedRows } = await db
    .updateTable('grants')
    .set({ state: 'open' })
    .where('state', '=', CLAIMED)
    .where('claimed_at', '<', (await nowMs()) - LONGEST_CLAIM_MS)
    .executeTakeFirst();
  return Number(numUpdatedRows);
};

const dropOldGrants = async ({ db, nowMs }: Context, limit: number): Promise<number> => {
  const old = db
    .selectFrom('grants')
    .select('seq')
    .where('expires_at', '<', (await nowMs()) - RECORD_KEPT_MS)
    .where('state', '<>', CLAIMED)
    .limit(limit);
  const { numDeletedRows } = await db.deleteFrom('grants').where('seq', 'in', old).executeTakeFirst();
  return Number(numDeletedRows);
};
