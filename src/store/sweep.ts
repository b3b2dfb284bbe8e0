import type { Transaction } from '../domain/store-port.ts';
import { dropReplacedClips, dropUnusedClips } from './clips.ts';
import type { Context } from './context.ts';
import { forgetAllOldKeys } from './idempotency.ts';
import { dropDeadPartialUploads } from './partial-uploads.ts';

type SweepVerbs = Pick<Transaction, 'sweep' | 'dropReplacedClips'>;

export const sweepVerbs = (context: Context): SweepVerbs => ({
  async sweep() {
    await dropDeadPartialUploads(context);
    await dropUnusedClips(context);
    await forgetAllOldKeys(context);
  },
  dropReplacedClips: (limit) => dropReplacedClips(context, limit),
});
