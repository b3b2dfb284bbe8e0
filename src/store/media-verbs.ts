import { AppError } from '../domain/app-error.ts';
import { DEFAULT_PROCESSING } from '../domain/media.ts';
import type { NewMedia, Transaction } from '../domain/store-port.ts';
import { associationVerbs } from './associations.ts';
import { dropUnusedClips } from './clips.ts';
import type { Context } from './context.ts';
import { revokeGrants } from './grants.ts';
import { insertUnderId, requireRows } from './rows.ts';

type MediaVerbs = Pick<Transaction, 'createMedia' | 'deleteMedia' | 'associateMedia' | 'dissociateMedia'>;

export const mediaVerbs = (context: Context): MediaVerbs => {
  const { associate, dissociate } = associationVerbs(context, 'media');
  return {
    createMedia: (media) => createMedia(context, media),
    deleteMedia: (id) => deleteMedia(context, id),
    associateMedia: associate,
    async dissociateMedia(mediaId, applicationId) {
      // In this order: a grant that is being issued holds up the end of the association, and is then revoked too.
      const isKnown = await dissociate(mediaId, applicationId);
      await revokeGrants(context, mediaId, applicationId);
      return isKnown;
    },
  };
};

const createMedia = async (context: Context, media: NewMedia): Promise<string> => {
  await requireRows(context, 'applications', media.applicationIds, 'applicationIds');
  const { db } = context;
  const created_at = await context.nowMs();
  const processing = JSON.stringify(media.processing ?? DEFAULT_PROCESSING);
  const media_id = await insertUnderId(context, 'media', media.id, async (id) => {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('media')
      .values({ id, name: media.name, clip_id: null, processing, created_at })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  });
  const owners = [...new Set(media.applicationIds)].map((application_id) => ({ media_id, application_id }));
  if (owners.length > 0) await db.insertInto('media_applications').values(owners).execute();
  return media_id;
};

const deleteMedia = async (context: Context, id: string): Promise<boolean> => {
  const { numDeletedRows } = await context.db.deleteFrom('media').where('id', '=', id).executeTakeFirst();
  if (numDeletedRows === 0n) return false;
  // Afterwards: who was making it a default greeting has held up the deletion, and is seen now.
  await refuseDefaultGreeting(context, id);
  await revokeGrants(context, id);
  await dropUnusedClips(context, id);
  return true;
};

const refuseDefaultGreeting = async ({ db }: Context, mediaId: string): Promise<void> => {
  const application = await db
    .selectFrom('applications')
    .select('id')
    .where('default_greeting_id', '=', mediaId)
    .limit(1)
    .executeTakeFirst();
  const settings = await db
    .selectFrom('settings')
    .select('id')
    .where('default_greeting_id', '=', mediaId)
    .executeTakeFirst();
  const user = application ? `application ${application.id}` : settings && 'the settings';
  if (user)
    throw new AppError('in_use', `Media ${mediaId} is the default greeting of ${user}. Choose another there first.`);
};
