import { AppError } from '../domain/app-error.ts';

/** Fields of a form by their names, each once. */
export type Form = ReadonlyMap<string, string>;

export const FORM_TYPE = 'application/x-www-form-urlencoded';
const UTF_8 = /^\s*charset\s*=\s*"?utf-?8"?\s*$/i;
const CHARSET = /^\s*charset\s*=/i;

/** Whether a Content-Type announces a form in UTF-8, in any letter case. */
export const isFormType = (contentType: string | undefined): boolean => {
  if (contentType === FORM_TYPE) return true;
  const [type = '', ...parameters] = (contentType ?? '').split(';');
  if (type.trim().toLowerCase() !== FORM_TYPE) return false;
  return parameters.every((parameter) => !CHARSET.test(parameter) || UTF_8.test(parameter));
};

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads `application/x-www-form-urlencoded`, strictly: an undecodable escape, invalid UTF-8, NUL, or the same field
 * twice throws `invalid_parameter`, where lenient readers would guess.
 */
export const readForm = (body: Uint8Array): Form => {
  const form = new Map<string, string>();
  for (const pair of decoded(body).split('&')) {
    if (pair === '') continue;
    const [name, value] = fieldOf(pair);
    if (form.has(name)) throw unreadable('The form holds the same field twice.');
    form.set(name, value);
  }
  return form;
};

const fieldOf = (pair: string): readonly [string, string] => {
  const equals = pair.indexOf('=');
  return equals < 0 ? [unescaped(pair), ''] : [unescaped(pair.slice(0, equals)), unescaped(pair.slice(equals + 1))];
};

const decoded = (body: Uint8Array): string => {
  try {
    return utf8.decode(body);
  } catch (error) {
    throw unreadable('The form is not valid UTF-8.', error);
  }
};

const unescaped = (text: string): string => {
  const plain = text.includes('%') || text.includes('+') ? percentDecoded(text.replaceAll('+', ' ')) : text;
  if (plain.includes('\0')) throw unreadable('The form holds a NUL character.');
  return plain;
};

const percentDecoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    throw unreadable('The form holds a percent escape that cannot be decoded as UTF-8.', error);
  }
};

const unreadable = (sentence: string, cause?: unknown): AppError =>
  new AppError('invalid_parameter', sentence, cause === undefined ? {} : { cause });
