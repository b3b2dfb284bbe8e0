/**
 * Everything a use case can refuse. `http/` translates each code to a status once, at the edge;
 * nothing below knows of HTTP.
 */
export type AppErrorCode =
  | 'missing_parameter'
  | 'invalid_parameter'
  /** Unknown or revoked app key, unknown network, or network of another application: one and the same on purpose. */
  | 'not_associated'
  /** Unknown key, unknown media or media of another application, on a grant request. */
  | 'media_not_owned'
  /** Unknown, foreign or empty media (or greeting), on a blast. */
  | 'no_such_media'
  | 'cannot_call_now'
  | 'idempotency_conflict'
  | 'unauthorized'
  | 'not_found'
  | 'duplicate_id'
  | 'invalid_field'
  | 'in_use'
  /** There may be no more of them. */
  | 'too_many'
  | 'already_finished'
  | 'upload_empty'
  | 'upload_cut'
  | 'upload_too_large'
  | 'upload_too_long'
  | 'not_audio'
  /** What arrived is not what Content-Digest or Repr-Digest announced. */
  | 'digest_mismatch'
  /** A part of a resumable upload is not what Upload-Checksum announced. */
  | 'checksum_mismatch'
  | 'no_such_upload'
  | 'wrong_offset'
  | 'ingest_busy'
  | 'grant_unknown'
  | 'grant_gone'
  | 'grant_refused'
  | 'grant_busy'
  | 'grant_exhausted'
  | 'store_unavailable'
  | 'disk_full';

/** A refusal with a sentence for people. The sentence never holds a key, a token or a password. */
export class AppError extends Error {
  readonly code: AppErrorCode;
  /** The field the caller has to mend, if one is to blame. */
  readonly field: string | undefined;

  constructor(code: AppErrorCode, message: string, options: { field?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.field = options.field;
  }
}
