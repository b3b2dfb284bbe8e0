import { AppError } from '../domain/app-error.ts';

export const BEARER_CHALLENGE = 'Bearer realm="ringcast"';

/**
 * The credential of an `Authorization: Bearer` header (RFC 6750 2.1). Throws `unauthorized` if there is none.
 * Node gives header octets as Latin-1; an imported key may be any text, and is sent in UTF-8.
 */
export const bearerOf = (authorization: string | undefined): string => {
  const [, credential] = /^bearer +(.+)$/i.exec(authorization ?? '') ?? [];
  if (credential === undefined) throw unauthorized();
  return Buffer.from(credential.trim(), 'latin1').toString('utf8');
};

export const unauthorized = (): AppError =>
  new AppError('unauthorized', 'Send a valid credential as "Authorization: Bearer …".');
