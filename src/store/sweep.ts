import type { Transaction } from '../domain/store-port.ts';
import { dropReplacedClips, dropUnusedClips } from './clips.ts';
import type { Context } from './context.ts';
import { forgetAllOldKeys } from './idempotency.ts';
import { dropDeadPartialUploads } from './partial-uploads.ts';

const RECORD_KEPT_MS = 90 * 24 * 3_600_000;

type SweepVerbs = Pick<Transaction, 'sweep' | 'dropOldGrants' | 'dropReplacedClips'>;

export const sweepVerbs = (context: Context): SweepVerbs => ({
  async sweep() {
    await dropDeadPartialUploads(context);
    await dropUnusedClips(context);
    await forgetAllOldKeys(context);
  },
  dropOldGrants: (limit) => dropOldGrants(context, limit),
  dropReplacedClips: (limit) => dropReplacedClips(context, limit),
});

const dropOldGrants = async ({ db, nowMs }: Context, limit: number): Promise<number> => {
  const old = db
    .selectFrom('grants')
    .select('seq')
    .where('expires_at', '<', (await nowMs()) - RECORD_KEPT_MS)
    .where('state', '<>', 'claimed')
    .limit(limit);
  const { numDeletedRows } = await db.deleteFrom('grants').where('seq', 'in', old).executeTakeFirst();
  return Number(numDeletedRows);
};
