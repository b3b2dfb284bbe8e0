import { AppError, type AppErrorCode } from '../domain/app-error.ts';

/** The one place where refusals become HTTP statuses. */
const STATUS: Readonly<Record<AppErrorCode, number>> = {
  missing_parameter: 400,
  invalid_parameter: 400,
  not_associated: 404,
  media_not_owned: 401,
  no_such_media: 404,
  cannot_call_now: 502,
  idempotency_conflict: 409,
  unauthorized: 401,
  not_found: 404,
  duplicate_id: 409,
  invalid_field: 422,
  in_use: 409,
  too_many: 409,
  already_finished: 409,
  upload_empty: 400,
  upload_cut: 400,
  upload_too_large: 413,
  upload_too_long: 413,
  not_audio: 415,
  digest_mismatch: 400,
  // Of tus 1.0, in no registry of HTTP.
  checksum_mismatch: 460,
  no_such_upload: 404,
  wrong_offset: 409,
  ingest_busy: 503,
  grant_unknown: 404,
  grant_gone: 410,
  grant_refused: 401,
  grant_busy: 409,
  grant_exhausted: 429,
  store_unavailable: 503,
  disk_full: 507,
};

/** An error as its sender may see it. */
export interface Refusal {
  readonly status: number;
  /** A sentence for people; never a key, a token or an internal detail. */
  readonly message: string;
  readonly code: string;
  readonly field: string | undefined;
}

const INTERNAL: Refusal = {
  status: 500,
  message: 'Something went wrong inside the server: its log says what.',
  code: 'internal_error',
  field: undefined,
};

/** What to tell about any error a handler or Fastify itself threw. */
export const refusalOf = (error: unknown): Refusal => {
  if (error instanceof AppError) {
    return { status: STATUS[error.code], message: error.message, code: error.code, field: error.field };
  }
  return refusalOfFramework(error) ?? INTERNAL;
};

/** What Fastify throws, as far as it is told apart. */
interface FrameworkError {
  readonly statusCode?: number;
  readonly message?: string;
  readonly validationContext?: string;
  readonly validation?: readonly {
    readonly instancePath: string;
    readonly params: Readonly<Record<string, unknown>>;
    readonly message?: string;
  }[];
}

const refusalOfFramework = (error: unknown): Refusal | null => {
  const { statusCode, message = '', validation, validationContext } = error as FrameworkError;
  if (validation?.[0]) return refusalOfValidation(validation[0], validationContext);
  if (statusCode === undefined || statusCode < 400 || statusCode >= 500) return null;
  return { status: statusCode, message: `${message}.`.replace(/\.\.$/, '.'), code: 'bad_request', field: undefined };
};

const refusalOfValidation = (
  failure: NonNullable<FrameworkError['validation']>[number],
  context: string | undefined,
): Refusal => {
  const { missingProperty, additionalProperty } = failure.params;
  const path = [...failure.instancePath.split('/').slice(1), missingProperty ?? additionalProperty ?? []].flat();
  const field = path.join('.') || undefined;
  const what = additionalProperty === undefined ? (failure.message ?? 'is not valid') : 'is not a known member';
  const sentence = missingProperty === undefined ? `${field ?? 'The body'} ${what}.` : `${field} is missing.`;
  return { status: context === 'body' ? 422 : 400, message: sentence, code: 'invalid_field', field };
};

const RETRY_AFTER_SECONDS = 5;

/** Headers that belong to a status: when to come back, and which credential is asked for. */
export const headersOf = (status: number, challenge: string): Readonly<Record<string, string>> => {
  if (status === 401) return { 'www-authenticate': challenge };
  if (status === 502 || status === 503) return { 'retry-after': String(RETRY_AFTER_SECONDS) };
  return {};
};
