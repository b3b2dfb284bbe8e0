import { createHash } from 'node:crypto';
import { CODECS } from '../domain/codec.ts';
import type { Renditions } from '../domain/media.ts';
import type { Transaction, Views } from '../domain/store-port.ts';
import type { Context } from './context.ts';

/** Number of the set of renditions that clips are given: one for each of `CODECS`, with its digest. */
export const RENDITION_SET = 2;

const sha256 = (octets: Uint8Array): string => createHash('sha256').update(octets).digest('hex');

export const renditionViews = ({ db }: Pick<Context, 'db'>): Pick<Views, 'findRendition' | 'findIncompleteClips'> => ({
  async findRendition(clipId, codec) {
    const row = await db
      .selectFrom('clip_renditions')
      .select(['octets', 'sha256'])
      .where('clip_id', '=', clipId)
      .where('codec', '=', codec)
      .executeTakeFirst();
    if (!row) return null;
    if (row.sha256 === null || row.sha256 === sha256(row.octets)) return row.octets;
    throw new Error(`The ${codec} rendition of clip ${clipId} is damaged: upload its file again.`);
  },
  findIncompleteClips: () =>
    db
      .selectFrom('clips')
      .select(['id', 'frame_count as frameCount'])
      .where('rendition_set', '<', RENDITION_SET)
      .orderBy('created_at', 'desc')
      .execute(),
});

export const renditionVerbs = ({ db }: Context): Pick<Transaction, 'completeClip'> => ({
  async completeClip(clipId, renditions) {
    const { numUpdatedRows } = await db
      .updateTable('clips')
      .set({ rendition_set: RENDITION_SET })
      .where('id', '=', clipId)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return;
    await db.deleteFrom('clip_renditions').where('clip_id', '=', clipId).execute();
    await insertRenditions({ db }, clipId, renditions);
  },
});

export const insertRenditions = async (
  { db }: Pick<Context, 'db'>,
  clipId: string,
  renditions: Renditions,
): Promise<void> => {
  const rows = CODECS.map((codec) => {
    const octets = renditions[codec];
    return { clip_id: clipId, codec, octets, sha256: sha256(octets) };
  });
  await db.insertInto('clip_renditions').values(rows).execute();
};
