import type { Transaction } from '../domain/store-port.ts';
import { dropUnusedClips } from './clips.ts';
import type { Context } from './context.ts';
import { forgetAllOldKeys } from './idempotency.ts';
import { dropDeadPartialUploads } from './partial-uploads.ts';

export const sweepVerbs = (context: Context): Pick<Transaction, 'sweep'> => ({
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
});
