import type { Transaction } from '../domain/store-port.ts';
import { dropUnusedClips } from './clips.ts';
import type { Context } from './context.ts';
import { forgetAllOldKeys } from './idempotency.ts';
import { dropDeadPartialUploads } from './partial-uploads.ts';

export const sweepVerbs = (context: Context): Pick<Transaction, 'sweep'> => ({
  async sweep() {
    await dropDeadPartialUploads(context);
    await dropUnusedClips(context);
    await forgetAllOldKeys(context);
  },
});
