import { AppError } from '../domain/app-error.ts';
import { isId, isMediaId } from '../domain/id.ts';
import type { Views } from '../domain/store-port.ts';

/** A refusal that names the field to mend. */
export const invalidField = (field: string, sentence: string): AppError =>
  new AppError('invalid_field', sentence, { field });

const CONTROL = /\p{Cc}/u;
const MAX_NAME_LENGTH = 200;

/** Text for people: no control characters, so that it cannot break a table or a header. */
export const checkedName = (field: string, text: string): string => {
  if (text.length <= MAX_NAME_LENGTH && !CONTROL.test(text) && text.isWellFormed()) return text;
  throw invalidField(field, `${field} must be at most ${MAX_NAME_LENGTH} characters without control characters.`);
};

/** An id given on creation, or null to have one allocated. */
export const checkedId = (id: string | null | undefined): string | null => {
  if (id == null) return null;
  if (isId(id)) return id;
  throw invalidField('id', 'id must be 1 to 64 characters of A-Z a-z 0-9 _ . - and no others.');
};

/** As checkedId, for media: a hyphen would separate two media ids in the path of a blast. */
export const checkedMediaId = (id: string | null | undefined): string | null => {
  if (id == null) return null;
  if (isMediaId(id)) return id;
  throw invalidField(
    'id',
    'id must be 1 to 64 characters of A-Z a-z 0-9 _ . and no others: a hyphen separates media ids.',
  );
};

/** A replacement may repeat the id of its path, never change it. */
export const refuseOtherId = (id: string | null | undefined, pathId: string): void => {
  if (id != null && id !== pathId) throw invalidField('id', 'id cannot be changed: leave it out or repeat it.');
};

const E164 = /^\+[1-9][0-9]{1,14}$/;
const SIP_USER = /^[A-Za-z0-9_.-]{1,64}$/;

/** What is shown as the caller: strict, since it goes into SIP headers. */
export const checkedCallerId = (callerId: string | null | undefined): string | null => {
  if (callerId == null) return null;
  if (E164.test(callerId) || SIP_USER.test(callerId)) return callerId;
  throw invalidField(
    'callerId',
    'callerId must be an E.164 number, or 1 to 64 characters of A-Z a-z 0-9 _ . - and no others.',
  );
};

/** Throws if a list names the same thing twice. */
export const checkedDistinct = (field: string, values: readonly string[]): readonly string[] => {
  if (new Set(values).size === values.length) return values;
  throw invalidField(field, `${field} names the same one twice.`);
};

const MAX_APPLICATIONS = 1000;

/** Throws unless every id is one of an application. */
export const checkApplicationIds = async (views: Views, applicationIds: readonly string[]): Promise<void> => {
  if (applicationIds.length > MAX_APPLICATIONS) {
    throw invalidField('applicationIds', `applicationIds may hold at most ${MAX_APPLICATIONS} ids.`);
  }
  checkedDistinct('applicationIds', applicationIds);
  for (const id of applicationIds) {
    if (!(await views.findApplication(id))) {
      throw invalidField(
        'applicationIds',
        `applicationIds names an application that does not exist: ${JSON.stringify(id)}.`,
      );
    }
  }
};

/** Throws unless the default greeting is none, or a media that holds a clip. */
export const checkDefaultGreeting = async (views: Views, mediaId: string | null): Promise<void> => {
  if (mediaId === null) return;
  const playable = await views.findPlayable([mediaId], null);
  if (playable.has(mediaId)) return;
  throw invalidField('defaultGreetingId', 'defaultGreetingId must be a media id that holds a clip: upload one first.');
};

export const notFound = (thing: string): AppError => new AppError('not_found', `There is no such ${thing}.`);
