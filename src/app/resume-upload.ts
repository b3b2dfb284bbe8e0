import { AppError } from '../domain/app-error.ts';
import type { Grant } from '../domain/grant.ts';
import type { PartialUpload } from '../domain/partial-upload.ts';
import type { Store } from '../domain/store-port.ts';
import { findOpenGrant, type GrantClaim } from './claim-grant.ts';
import { inParts } from './in-parts.ts';
import { type Arrived, type JudgeEarlyOptions, judgedEarly } from './judge-early.ts';
import { type KeptClip, refuseDeclared } from './keep-clip.ts';
import type { ReceiveUpload, UploadPiece } from './receive-upload.ts';

export interface ResumeUploadOptions extends JudgeEarlyOptions {
  readonly store: Store;
  readonly receiveUpload: ReceiveUpload;
  readonly maxUploadBytes: number;
}

/** Resumable uploads with one grant. Every verb throws `no_such_upload` for an upload that is not of this grant. */
export interface ResumableUploads {
  readonly expiresAt: number;
  /** Throws `upload_empty` and `upload_too_large`, which count as failed tries. */
  begin(upload: Omit<PartialUpload, 'offsetBytes'>): Promise<void>;
  find(uploadId: string): Promise<PartialUpload>;
  /**
   * Keeps octets as they come and gives the new offset. Throws `wrong_offset`, and drops the upload with `not_audio` and
   * `upload_too_long`, which count as failed tries.
   */
  append(uploadId: string, offsetBytes: number, octets: AsyncIterable<Uint8Array>): Promise<number>;
  drop(uploadId: string): Promise<void>;
  /** Claims the grant and makes a clip of an upload whose octets are all there. Throws what `ReceiveUpload` throws. */
  finish(uploadId: string): Promise<KeptClip>;
}

export type ResumeUpload = (claim: GrantClaim) => Promise<ResumableUploads>;

/**
 * Uploads that go on after a cut. The grant is looked at with every request, and claimed only when all octets are
 * there: a paused upload holds nothing. What was sent lies in the store, so that any node can take the rest.
 */
export const createResumeUpload =
  (options: ResumeUploadOptions): ResumeUpload =>
  async (claim) =>
    uploadsOf(options, claim, await findOpenGrant(options.store, claim));

const uploadsOf = (options: ResumeUploadOptions, claim: GrantClaim, { ref, expiresAt }: Grant): ResumableUploads => {
  const { store } = options;
  return {
    expiresAt,
    begin: (upload) => begin(options, ref, upload),
    find: (uploadId) => find(store, ref, uploadId),
    append: (uploadId, offsetBytes, octets) => append(options, ref, uploadId, offsetBytes, octets),
    async drop(uploadId) {
      if (!(await store.transact((tx) => tx.dropPartialUpload(ref, uploadId)))) throw noSuchUpload();
    },
    finish: async (uploadId) => finish(options, claim, ref, await find(store, ref, uploadId)),
  };
};

const begin = async (
  { store, maxUploadBytes }: ResumeUploadOptions,
  ref: number,
  upload: Omit<PartialUpload, 'offsetBytes'>,
): Promise<void> => {
  try {
    refuseDeclared(upload.sizeBytes, maxUploadBytes);
  } catch (error) {
    await store.transact((tx) => tx.countFailedTry(ref));
    throw error;
  }
  await store.transact((tx) => tx.beginPartialUpload(ref, upload));
};

const find = async (store: Store, ref: number, uploadId: string): Promise<PartialUpload> => {
  const upload = await store.view((views) => views.findPartialUpload(ref, uploadId));
  if (upload) return upload;
  throw noSuchUpload();
};

const append = async (
  options: ResumeUploadOptions,
  ref: number,
  uploadId: string,
  offsetBytes: number,
  octets: AsyncIterable<Uint8Array>,
): Promise<number> => {
  const arrived = await findArrived(options.store, uploadId, offsetBytes);
  try {
    return await keepParts(options.store, uploadId, offsetBytes, judgedEarly(octets, options, arrived));
  } catch (error) {
    if (isHopeless(error)) await dropAsFailed(options.store, ref, uploadId);
    throw error;
  }
};

const findArrived = async (store: Store, uploadId: string, bytes: number): Promise<Arrived> => {
  const head = bytes === 0 ? null : await store.view((views) => views.findPartialPart(uploadId, 0));
  return { head: head ?? new Uint8Array(), bytes };
};

const dropAsFailed = (store: Store, ref: number, uploadId: string): Promise<void> =>
  store.transact(async (tx) => {
    await tx.countFailedTry(ref);
    await tx.dropPartialUpload(ref, uploadId);
  });

const keepParts = async (
  store: Store,
  uploadId: string,
  offsetBytes: number,
  octets: AsyncIterable<Uint8Array>,
): Promise<number> => {
  let offset = offsetBytes;
  for await (const piece of inParts(octets, offsetBytes)) {
    const at = offset;
    const taken = await store.transact((tx) => tx.appendToPartialUpload(uploadId, at, piece));
    if (!taken) throw new AppError('wrong_offset', 'The upload is at another offset: ask for it and go on from there.');
    offset += piece.length;
  }
  return offset;
};

const finish = async (
  { store, receiveUpload }: ResumeUploadOptions,
  claim: GrantClaim,
  ref: number,
  upload: PartialUpload,
): Promise<KeptClip> => {
  try {
    return await receiveUpload(claim, {
      declaredBytes: upload.sizeBytes,
      pieces: piecesOf(store, upload),
      uploadId: upload.id,
    });
  } catch (error) {
    // Octets that are no clip today are none tomorrow; after any other refusal the end may be sent again.
    if (isHopeless(error)) await store.transact((tx) => tx.dropPartialUpload(ref, upload.id));
    throw error;
  }
};

async function* piecesOf(store: Store, { id, sizeBytes }: PartialUpload): AsyncGenerator<UploadPiece> {
  let bytes = 0;
  for (let part = 0; bytes < sizeBytes; part += 1) {
    const octets = await store.view((views) => views.findPartialPart(id, part));
    if (!octets) throw new AppError('grant_gone', 'The upload or its grant was dropped meanwhile.');
    bytes += octets.length;
    yield { kind: 'octets', octets };
  }
}

const isHopeless = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'not_audio' || error.code === 'upload_too_long');

const noSuchUpload = (): AppError =>
  new AppError('no_such_upload', 'There is no such upload with this grant: begin a new one.');
