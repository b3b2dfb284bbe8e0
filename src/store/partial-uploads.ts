import { MAX_PARTIAL_UPLOADS, PART_BYTES, type PartialUpload } from '../domain/partial-upload.ts';
import type { Transaction, Views } from '../domain/store-port.ts';
import type { Context } from './context.ts';
import { parseJson } from './rows.ts';

export const partialUploadViews = ({ db }: Context): Pick<Views, 'findPartialUpload' | 'findPartialPart'> => ({
  async findPartialUpload(ref, uploadId) {
    const row = await db
      .selectFrom('partial_uploads')
      .select(['id', 'size_bytes', 'offset_bytes', 'metadata'])
      .where('id', '=', uploadId)
      .where('grant_seq', '=', ref)
      .executeTakeFirst();
    return row ? partialUploadOf(row) : null;
  },
  async findPartialPart(uploadId, part) {
    const row = await db
      .selectFrom('partial_upload_parts')
      .select('octets')
      .where('upload_id', '=', uploadId)
      .where('part', '=', part)
      .executeTakeFirst();
    return row?.octets ?? null;
  },
});

interface Row {
  id: string;
  size_bytes: number;
  offset_bytes: number;
  metadata: string;
}

const partialUploadOf = (row: Row): PartialUpload => ({
  id: row.id,
  sizeBytes: row.size_bytes,
  offsetBytes: row.offset_bytes,
  metadata: parseJson<PartialUpload['metadata']>(row.metadata),
});

type PartialUploadVerbs = Pick<
  Transaction,
  'beginPartialUpload' | 'appendToPartialUpload' | 'dropPartialUpload' | 'dropDeadPartialUploads'
>;

export const partialUploadVerbs = (context: Context): PartialUploadVerbs => ({
  async beginPartialUpload(ref, { id, sizeBytes, metadata }) {
    await dropAllButNewest(context, ref, MAX_PARTIAL_UPLOADS - 1);
    await context.db
      .insertInto('partial_uploads')
      .values({ id, grant_seq: ref, size_bytes: sizeBytes, offset_bytes: 0, metadata: JSON.stringify(metadata) })
      .execute();
  },
  appendToPartialUpload: (uploadId, offsetBytes, octets) => append(context, uploadId, offsetBytes, octets),
  async dropPartialUpload(ref, uploadId) {
    const { numDeletedRows } = await context.db
      .deleteFrom('partial_uploads')
      .where('id', '=', uploadId)
      .where('grant_seq', '=', ref)
      .executeTakeFirst();
    return numDeletedRows === 1n;
  },
  dropDeadPartialUploads: () => dropDeadPartialUploads(context),
});

const dropAllButNewest = async ({ db }: Context, ref: number, kept: number): Promise<void> => {
  const newest = db
    .selectFrom('partial_uploads')
    .select('seq')
    .where('grant_seq', '=', ref)
    .orderBy('seq', 'desc')
    .limit(kept);
  await db.deleteFrom('partial_uploads').where('grant_seq', '=', ref).where('seq', 'not in', newest).execute();
};

const append = async ({ db }: Context, uploadId: string, offsetBytes: number, octets: Uint8Array): Promise<boolean> => {
  const end = offsetBytes + octets.byteLength;
  const { numUpdatedRows } = await db
    .updateTable('partial_uploads')
    // The last octet counts as missing until the clip is committed.
    .set((eb) => ({
      offset_bytes: eb
        .case()
        .when('size_bytes', '>', end)
        .then(end)
        .else(end - 1)
        .end(),
    }))
    .where('id', '=', uploadId)
    .where('offset_bytes', '=', offsetBytes)
    .where('size_bytes', '>=', end)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await write({ db }, uploadId, offsetBytes, octets);
  return true;
};

/** Puts octets where they belong in their part, over what may be there of an earlier try. */
const write = async (
  { db }: Pick<Context, 'db'>,
  uploadId: string,
  offsetBytes: number,
  octets: Uint8Array,
): Promise<void> => {
  const part = Math.floor(offsetBytes / PART_BYTES);
  const kept = offsetBytes % PART_BYTES;
  if (kept + octets.byteLength > PART_BYTES)
    throw new RangeError(`${octets.byteLength} octets at ${offsetBytes} are not within one part of ${PART_BYTES}`);
  const row = await db
    .selectFrom('partial_upload_parts')
    .select('octets')
    .where('upload_id', '=', uploadId)
    .where('part', '=', part)
    .executeTakeFirst();
  const whole = Buffer.concat([(row?.octets ?? new Uint8Array()).subarray(0, kept), octets]);
  await db
    .insertInto('partial_upload_parts')
    .values({ upload_id: uploadId, part, octets: whole })
    .onConflict((conflict) => conflict.columns(['upload_id', 'part']).doUpdateSet({ octets: whole }))
    .execute();
};

/** Drops the partial uploads of one grant, which is spent or revoked. */
export const dropPartialUploadsOf = async ({ db }: Context, ref: number): Promise<void> => {
  await db.deleteFrom('partial_uploads').where('grant_seq', '=', ref).execute();
};

/** Drops the partial uploads of grants that are spent, revoked or expired; how many. */
export const dropDeadPartialUploads = async ({ db, nowMs }: Context): Promise<number> => {
  const now = await nowMs();
  const { numDeletedRows } = await db
    .deleteFrom('partial_uploads')
    .where('grant_seq', 'in', (eb) =>
      eb
        .selectFrom('partial_uploads')
        .innerJoin('grants', 'grants.seq', 'partial_uploads.grant_seq')
        .select('grants.seq')
        // A claimed grant is in use, though it may have expired since.
        .where('grants.state', '<>', 'claimed')
        .where((or) => or.or([or('grants.state', '<>', 'open'), or('grants.expires_at', '<=', now)])),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
};
