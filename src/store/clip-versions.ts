import { sql } from 'kysely';
import { FRAME_MS } from '../domain/codec.ts';
import type { Views } from '../domain/store-port.ts';
import type { Context } from './context.ts';
import { groupBy, loudnessOf } from './rows.ts';

export const clipVersionViews = ({ db }: Context): Pick<Views, 'listClips'> => ({
  async listClips(mediaId, limit) {
    const rows = await db
      .selectFrom('clips')
      .leftJoin('media', 'media.clip_id', 'clips.id')
      .selectAll('clips')
      .select('media.clip_id as current_id')
      .where('clips.media_id', '=', mediaId)
      .orderBy('clips.created_at', 'desc')
      .orderBy('clips.id', 'desc')
      .limit(limit)
      .execute();
    const renditions = await renditionsOf(
      db,
      rows.map((row) => row.id),
    );
    return rows.map((row) => ({
      id: row.id,
      digest: row.digest,
      originalBytes: row.original_bytes,
      originalType: row.original_type,
      frameCount: row.frame_count,
      durationMs: row.frame_count * FRAME_MS,
      loudness: loudnessOf(row.loudness),
      createdAt: row.created_at,
      isCurrent: row.current_id !== null,
      renditions: renditions.get(row.id) ?? [],
    }));
  },
});

const renditionsOf = async (db: Context['db'], clipIds: readonly string[]) => {
  const rows = await db
    .selectFrom('clip_renditions')
    .select(['clip_id', 'codec', sql<number>`length(octets)`.as('bytes')])
    // No id is blank: SQL has no empty list.
    .where('clip_id', 'in', clipIds.length > 0 ? clipIds : [''])
    .orderBy('codec')
    .execute();
  return groupBy(
    rows,
    (row) => row.clip_id,
    ({ codec, bytes }) => ({ codec, bytes }),
  );
};
