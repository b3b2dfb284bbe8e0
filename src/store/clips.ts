import { AppError } from '../domain/app-error.ts';
import type { PlaylistItem } from '../domain/blast.ts';
import type { NewClip, Transaction, Views } from '../domain/store-port.ts';
import { openAttempts } from './attempts.ts';
import { callViews, WAITING } from './calls.ts';
import type { Context } from './context.ts';
import { insertRenditions, RENDITION_SET, renditionVerbs, renditionViews } from './renditions.ts';
import { parseJson } from './rows.ts';

export const MAX_PART_BYTES = 1_048_576;

type ClipViews = Pick<Views, 'findRendition' | 'findIncompleteClips' | 'findOriginalPart'>;
type ClipVerbs = Pick<Transaction, 'stageOriginal' | 'dropStaged' | 'insertClip' | 'completeClip'>;

export const clipViews = ({ db }: Context): ClipViews => ({
  ...renditionViews({ db }),
  async findOriginalPart(clipId, part) {
    const row = await db
      .selectFrom('clip_originals')
      .select('octets')
      .where('clip_id', '=', clipId)
      .where('part', '=', part)
      .executeTakeFirst();
    return row?.octets ?? null;
  },
});

export const clipVerbs = (context: Context): ClipVerbs => ({
  ...renditionVerbs(context),
  async stageOriginal(clipId, part, octets) {
    if (octets.byteLength > MAX_PART_BYTES)
      throw new RangeError(`part ${part} of clip ${clipId} has ${octets.byteLength} octets, above ${MAX_PART_BYTES}`);
    await context.db
      .insertInto('staged_clips')
      .values({ clip_id: clipId, node_id: context.nodeId() })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await context.db.insertInto('clip_originals').values({ clip_id: clipId, part, octets }).execute();
  },
  async dropStaged(clipId) {
    await context.db
      .deleteFrom('clip_originals')
      .where('clip_id', '=', clipId)
      .where('clip_id', 'not in', (eb) => eb.selectFrom('clips').select('id').where('id', '=', clipId))
      .execute();
    await context.db.deleteFrom('staged_clips').where('clip_id', '=', clipId).execute();
  },
  insertClip: (clip) => insertClip(context, clip),
});

const insertClip = async (context: Context, clip: NewClip): Promise<void> => {
  const { db } = context;
  const { numUpdatedRows } = await db
    .updateTable('media')
    .set({ clip_id: clip.id })
    .where('id', '=', clip.mediaId)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new AppError('not_found', `Media ${clip.mediaId} was deleted.`);
  await db
    .insertInto('clips')
    .values(await valuesOf(context, clip))
    .execute();
  await insertRenditions(context, clip.id, clip.audio.renditions);
  await db.deleteFrom('staged_clips').where('clip_id', '=', clip.id).execute();
};

const valuesOf = async (context: Context, clip: NewClip) => ({
  id: clip.id,
  media_id: clip.mediaId,
  digest: clip.digest,
  original_bytes: clip.originalBytes,
  original_type: clip.audio.type,
  frame_count: clip.audio.frameCount,
  rendition_set: RENDITION_SET,
  loudness: clip.audio.loudness && JSON.stringify(clip.audio.loudness),
  created_at: await context.nowMs(),
});

/** Drops the clips, of one media or of all, that no media holds and no unfinished blast is going to play. */
export const dropUnusedClips = async (context: Context, mediaId?: string): Promise<void> => {
  await dropUnpinned(
    context,
    notCurrent(context).$if(mediaId !== undefined, (query) => query.where('media_id', '=', mediaId ?? '')),
    Number.POSITIVE_INFINITY,
  );
};

/** Somebody may just be fetching a clip that was replaced a moment ago. */
const REPLACED_FOR_MS = 60_000;
/** What is pinned is read off the calls that wait: with more than these, old clips stay for another time. */
const MAX_CALLS_READ = 20_000;

/** The same while the server runs: some at a time, and none that was replaced a moment ago. How many. */
export const dropReplacedClips = async (context: Context, limit: number): Promise<number> => {
  if ((await callViews(context).countWaiting()) > MAX_CALLS_READ) return 0;
  const before = (await context.nowMs()) - REPLACED_FOR_MS;
  const replaced = notCurrent(context).where(({ not, exists, selectFrom }) =>
    not(
      exists(
        selectFrom('clips as newer')
          .select('newer.id')
          .whereRef('newer.media_id', '=', 'clips.media_id')
          .where('newer.created_at', '>', before),
      ),
    ),
  );
  return dropUnpinned(context, replaced, limit);
};

const notCurrent = ({ db }: Context) =>
  db
    .selectFrom('clips')
    .select('id')
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('media').select('media.id').whereRef('media.clip_id', '=', 'clips.id'))),
    );

const dropUnpinned = async (
  context: Context,
  candidates: ReturnType<typeof notCurrent>,
  limit: number,
): Promise<number> => {
  // Waits for blasts that are pinning one of them; they are then among the unfinished ones.
  const unused = await context.locks.own(candidates, 'clips').execute();
  if (unused.length === 0) return 0;
  const pinned = await pinnedClips(context);
  const dropped = unused.filter((clip) => !pinned.has(clip.id)).slice(0, limit);
  for (const { id } of dropped) {
    await context.db.deleteFrom('clip_originals').where('clip_id', '=', id).execute();
    await context.db.deleteFrom('clips').where('id', '=', id).execute();
  }
  return dropped.length;
};

const pinnedClips = async (context: Context): Promise<ReadonlySet<string | null>> => {
  const blasts = await context.db
    .selectFrom('blasts')
    .select('playlist')
    .distinct()
    .where('id', 'in', unfinishedBlastIds(context))
    .execute();
  return new Set(blasts.flatMap(({ playlist }) => parseJson<PlaylistItem[]>(playlist).map((item) => item.clipId)));
};

/** By the indexes of waiting calls and open attempts, so that finished blasts, however many, are not read. */
const unfinishedBlastIds = (context: Context) => {
  const waiting = context.db.selectFrom('calls').select('blast_id').where('state', '=', WAITING);
  return waiting.union(openAttempts(context).select('calls.blast_id'));
};
