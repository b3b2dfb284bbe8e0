import { FRAME_MS } from '../domain/codec.ts';
import type { Clip, Media, Processing } from '../domain/media.ts';
import type { PlayableClip, Views } from '../domain/store-port.ts';
import type { Context } from './context.ts';
import { listed, windowOf } from './page.ts';
import { prepared } from './prepared.ts';
import { groupBy, isStorable, loudnessOf, parseJson } from './rows.ts';

type MediaViews = Pick<Views, 'findMedia' | 'listMedia' | 'isMediaOwned' | 'findPlayable'>;

export const mediaViews = (context: Context): MediaViews => ({
  async findMedia(id) {
    const rows = await mediaWithClips(context).where('media.id', '=', id).execute();
    return (await mediaOf(context, rows))[0] ?? null;
  },
  async listMedia(page, applicationId) {
    const window = windowOf(page);
    const rows = await mediaWithClips(context)
      .where('media.seq', '<', window.before)
      .$if(applicationId !== undefined, (query) =>
        query
          .innerJoin('media_applications as owner', 'owner.media_id', 'media.id')
          .where('owner.application_id', '=', applicationId ?? ''),
      )
      .orderBy('media.seq', 'desc')
      .limit(window.take)
      .execute();
    const { items, next } = listed(rows, window);
    return { items: await mediaOf(context, items), next };
  },
  async isMediaOwned(mediaId, applicationId) {
    if (!isStorable(mediaId)) return false;
    const association = context.db
      .selectFrom('media_applications')
      .select('media_id')
      .where('application_id', '=', applicationId ?? '')
      .where('media_id', '=', mediaId);
    // What follows from it, a grant, is revoked when it ends.
    return (await context.locks.keep(association, 'media_applications').executeTakeFirst()) !== undefined;
  },
  findPlayable: playableFinder(context),
});

const mediaWithClips = ({ db }: Context) =>
  db
    .selectFrom('media')
    .leftJoin('clips', 'clips.id', 'media.clip_id')
    .select([
      'media.seq',
      'media.id',
      'media.name',
      'media.processing',
      'media.created_at',
      'clips.id as clip_id',
      'clips.digest',
      'clips.original_bytes',
      'clips.original_type',
      'clips.frame_count',
      'clips.loudness',
      'clips.created_at as clip_created_at',
    ]);

type MediaRow = Awaited<ReturnType<ReturnType<typeof mediaWithClips>['execute']>>[number];

const mediaOf = async ({ db }: Context, rows: readonly MediaRow[]): Promise<readonly Media[]> => {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const owners = await db
    .selectFrom('media_applications')
    .select(['media_id', 'application_id'])
    .where('media_id', 'in', ids)
    .orderBy('application_id')
    .execute();
  const ownersOf = groupBy(
    owners,
    (row) => row.media_id,
    (row) => row.application_id,
  );
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    applicationIds: ownersOf.get(row.id) ?? [],
    processing: parseJson<Processing>(row.processing),
    clip: clipOf(row),
    createdAt: row.created_at,
  }));
};

const clipOf = (row: MediaRow): Clip | null =>
  row.clip_id === null
    ? null
    : {
        id: row.clip_id,
        digest: row.digest ?? '',
        originalBytes: row.original_bytes ?? 0,
        originalType: row.original_type ?? '',
        frameCount: row.frame_count ?? 0,
        durationMs: (row.frame_count ?? 0) * FRAME_MS,
        loudness: loudnessOf(row.loudness),
        createdAt: row.clip_created_at ?? 0,
      };

/** One query for any number of ids; its text depends on their number, so it is prepared once for each. */
const playableFinder = (context: Context): Views['findPlayable'] => {
  const byCount = new Map<string, ReturnType<typeof playableQuery>>();
  return async (asked, applicationId) => {
    const mediaIds = asked.filter(isStorable);
    const key = `${mediaIds.length} ${applicationId === null}`;
    const query = byCount.get(key) ?? playableQuery(context, mediaIds.length, applicationId !== null);
    if (mediaIds.length <= MAX_PREPARED_IDS) byCount.set(key, query);
    const { rows } = await query({ ...mediaIds, applicationId: applicationId ?? '' });
    return new Map<string, PlayableClip>(rows.map(({ id, clipId, frameCount }) => [id, { clipId, frameCount }]));
  };
};

const MAX_PREPARED_IDS = 100;

/** A clip that a blast is going to pin is not dropped before. */
const playableQuery = ({ db, locks }: Context, count: number, ownedOnly: boolean) =>
  prepared(db, (values: { readonly [at: number]: string; applicationId: string }) => {
    const playable = db
      .selectFrom('media')
      .innerJoin('clips', 'clips.id', 'media.clip_id')
      .select(['media.id', 'clips.id as clipId', 'clips.frame_count as frameCount'])
      // No id is blank: an empty list asks for one that is not there, for SQL has no empty list.
      .where('media.id', 'in', count > 0 ? Array.from({ length: count }, (_, at) => values[at] ?? '') : [''])
      .$if(ownedOnly, (query) =>
        query
          .innerJoin('media_applications as owner', 'owner.media_id', 'media.id')
          .where('owner.application_id', '=', values.applicationId),
      );
    return locks.keep(playable, 'clips').compile();
  });
