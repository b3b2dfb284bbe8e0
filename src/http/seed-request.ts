import { AppError } from '../domain/app-error.ts';
import type { BlastRequest } from '../domain/blast.ts';
import { isBlank } from '../domain/id.ts';
import { type Form, isFormType, readForm } from './form.ts';

/** A request to the media interface, read from its text alone: nothing is looked up before all of it stands. */
export interface SeedRequest {
  /** The path value after percent-decoding; empty if there is none. */
  readonly mediaPath: string;
  readonly form: Form;
}

export const ACTIONS = ['blast', 'upload_grant'] as const;
export type Action = (typeof ACTIONS)[number];

const MAX_LIST = 100;
const MAX_IDEMPOTENCY_KEY_LENGTH = 255;

/** Throws `invalid_parameter` for a body that is not a readable form. */
export const seedForm = (contentType: string | undefined, body: unknown): Form => {
  if (isFormType(contentType)) return readForm(body instanceof Uint8Array ? body : new Uint8Array());
  throw new AppError('invalid_parameter', 'The body must be application/x-www-form-urlencoded in UTF-8.');
};

/** Throws `missing_parameter` or `invalid_parameter` for anything but an exact action. */
export const actionOf = (form: Form): Action => {
  const text = form.get('action');
  const action = ACTIONS.find((known) => known === text);
  if (action) return action;
  if (isBlank(text)) throw missing('action');
  throw new AppError('invalid_parameter', 'The parameter "action" must be "blast" or "upload_grant".');
};

/** Throws `missing_parameter` and `invalid_parameter`. */
export const blastRequestOf = (
  { mediaPath, form }: SeedRequest,
  idempotencyHeader: string | undefined,
): BlastRequest => ({
  networkId: required(form, 'networkid'),
  appKey: required(form, 'appkey'),
  mediaIds: mediaIdsOf(mediaPath),
  greetingId: optional(form, 'greetingid'),
  idempotencyKey: idempotencyKeyOf(idempotencyHeader),
});

/** Throws `missing_parameter`. */
export const grantRequestOf = ({ mediaPath, form }: SeedRequest): { appKey: string; mediaId: string } => {
  const appKey = required(form, 'appkey');
  if (isBlank(mediaPath)) throw missing('mediaid');
  return { appKey, mediaId: mediaPath };
};

const required = (form: Form, name: string): string => {
  const value = form.get(name);
  if (value === undefined || isBlank(value)) throw missing(name);
  return value;
};

const optional = (form: Form, name: string): string | null => {
  const value = form.get(name);
  return value === undefined || isBlank(value) ? null : value;
};

const mediaIdsOf = (mediaPath: string): readonly string[] => {
  if (isBlank(mediaPath)) throw missing('mediaid');
  const mediaIds = mediaPath.split('-');
  if (mediaIds.some(isBlank)) throw new AppError('invalid_parameter', 'The list of media ids holds a blank id.');
  if (mediaIds.length <= MAX_LIST) return mediaIds;
  throw new AppError('invalid_parameter', `The list of media ids holds more than ${MAX_LIST}.`);
};

const idempotencyKeyOf = (header: string | undefined): string | null => {
  if (header === undefined || isBlank(header)) return null;
  if (header.length <= MAX_IDEMPOTENCY_KEY_LENGTH) return header;
  throw new AppError('invalid_parameter', `Idempotency-Key must be at most ${MAX_IDEMPOTENCY_KEY_LENGTH} characters.`);
};

const missing = (name: string): AppError => new AppError('missing_parameter', `The parameter "${name}" is missing.`);
