import type { Context } from './context.ts';

type Associate = (id: string, applicationId: string) => Promise<boolean>;

/** Which applications may use a network or a media id. Both verbs are idempotent; false if either does not exist. */
export const associationVerbs = (
  context: Context,
  kind: 'network' | 'media',
): { readonly associate: Associate; readonly dissociate: Associate } => ({
  async associate(id, applicationId) {
    if (!(await bothExist(context, kind, id, applicationId))) return false;
    await insert(context, kind, id, applicationId);
    return true;
  },
  async dissociate(id, applicationId) {
    if (!(await bothExist(context, kind, id, applicationId))) return false;
    await remove(context, kind, id, applicationId);
    return true;
  },
});

const bothExist = async ({ db }: Context, kind: 'network' | 'media', id: string, applicationId: string) => {
  const table = kind === 'network' ? 'networks' : 'media';
  const row = await db
    .selectFrom(table)
    .innerJoin('applications', (join) => join.on('applications.id', '=', applicationId))
    .select(`${table}.id`)
    .where(`${table}.id`, '=', id)
    .executeTakeFirst();
  return row !== undefined;
};

const insert = ({ db }: Context, kind: 'network' | 'media', id: string, application_id: string) =>
  kind === 'network'
    ? db
        .insertInto('network_applications')
        .values({ network_id: id, application_id })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    : db
        .insertInto('media_applications')
        .values({ media_id: id, application_id })
        .onConflict((conflict) => conflict.doNothing())
        .execute();

const remove = ({ db }: Context, kind: 'network' | 'media', id: string, applicationId: string) =>
  kind === 'network'
    ? db
        .deleteFrom('network_applications')
        .where('network_id', '=', id)
        .where('application_id', '=', applicationId)
        .execute()
    : db
        .deleteFrom('media_applications')
        .where('media_id', '=', id)
        .where('application_id', '=', applicationId)
        .execute();
