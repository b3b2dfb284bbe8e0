import { AppError, type AppErrorCode } from '../domain/app-error.ts';
import type { Metrics } from '../domain/metrics.ts';
import type { Store } from '../domain/store-port.ts';
import { claimGrant, type GrantClaim, grantRefused } from './claim-grant.ts';
import { type IncomingFile, type KeepClipOptions, type KeptClip, keepClip } from './keep-clip.ts';
import { noteResult } from './note-result.ts';
import type { ReleaseGrant } from './release-grant.ts';

/** What comes out of the body of an upload, in order: octets of the file, and grant ids beside it. */
export type UploadPiece =
  | { readonly kind: 'octets'; readonly octets: Uint8Array }
  | { readonly kind: 'grant_id'; readonly grantId: string };

export interface IncomingUpload {
  readonly declaredBytes: number | null;
  /** Nothing is read from it before the grant is claimed. */
  readonly pieces: AsyncIterable<UploadPiece>;
  /** The resumable upload that the pieces come from. */
  readonly uploadId: string | null;
}

export interface ReplaceAudioOptions extends KeepClipOptions {
  readonly metrics: Pick<Metrics, 'noteUpload'>;
}

export interface ReceiveUploadOptions extends ReplaceAudioOptions {
  readonly releaseGrant: Pick<ReleaseGrant, 'release'>;
}

export type ReceiveUpload = (claim: GrantClaim, upload: IncomingUpload) => Promise<KeptClip>;
export type ReplaceAudio = (mediaId: string, file: IncomingFile) => Promise<KeptClip>;

/** Failures that count against a grant: those a sender caused. */
const COUNTED: ReadonlySet<AppErrorCode> = new Set<AppErrorCode>([
  'invalid_parameter',
  'upload_empty',
  'upload_cut',
  'digest_mismatch',
  'upload_too_large',
  'upload_too_long',
  'not_audio',
  'grant_refused',
]);

/**
 * Claims a grant, receives the file and spends the grant in the transaction that commits the clip; on any failure,
 * a cut line included, the grant is open again. Throws what `claimGrant` and `keepClip` throw.
 */
export const createReceiveUpload =
  (options: ReceiveUploadOptions): ReceiveUpload =>
  (claim, upload) =>
    noteResult(options.metrics.noteUpload, 'committed', () => receive(options, claim, upload));

const receive = async (options: ReceiveUploadOptions, claim: GrantClaim, upload: IncomingUpload): Promise<KeptClip> => {
  const ref = await claimGrant(options.store, claim);
  try {
    const file = { declaredBytes: upload.declaredBytes, octets: octetsOf(upload.pieces, options.store, ref) };
    return await keepClip(options, claim.mediaId, file, (tx, { id, digest, originalBytes }) =>
      tx.spendGrant(ref, { id, digest, bytes: originalBytes }, upload.uploadId),
    );
  } catch (error) {
    await options.releaseGrant.release(ref, error instanceof AppError && COUNTED.has(error.code));
    throw error;
  }
};

/** The operator's way to upload, without a grant. Throws `not_found` for an unknown media before the body is read. */
export const createReplaceAudio =
  (options: ReplaceAudioOptions): ReplaceAudio =>
  (mediaId, file) =>
    noteResult(options.metrics.noteUpload, 'committed', async () => {
      const media = await options.store.view((views) => views.findMedia(mediaId));
      if (!media) throw new AppError('not_found', `There is no media ${mediaId}.`);
      return keepClip(options, mediaId, file, async () => undefined);
    });

async function* octetsOf(pieces: AsyncIterable<UploadPiece>, store: Store, ref: number): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    if (piece.kind === 'octets') yield piece.octets;
    else if (!(await store.view((views) => views.isGrantId(ref, piece.grantId)))) throw grantRefused();
  }
}
