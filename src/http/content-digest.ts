import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../domain/app-error.ts';
import type { ExpectedDigest } from './digest-check.ts';

const FIELDS = ['content-digest', 'repr-digest'] as const;
const ALGORITHMS = {
  'sha-256': { algorithm: 'sha256', bytes: 32 },
  'sha-512': { algorithm: 'sha512', bytes: 64 },
} as const;

/** A member of a dictionary (RFC 8941 3.2) whose value is a byte sequence. */
const MEMBER = /^[ \t]*([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]*={0,2}):[ \t]*(?:;.*)?$/;

/**
 * The digests that a request announces for its body by `Content-Digest` and `Repr-Digest` (RFC 9530), which for a body
 * without a content coding or a range are those of the same octets. Algorithms other than sha-256 and sha-512 are
 * passed over, as RFC 9530 3 has it. Throws `invalid_parameter` for one of the two that cannot be read.
 */
export const contentDigests = (headers: IncomingHttpHeaders): readonly ExpectedDigest[] =>
  FIELDS.flatMap((field) => [headers[field] ?? []].flat().flatMap((value) => digestsIn(field, value)));

const digestsIn = (field: string, value: string): readonly ExpectedDigest[] =>
  value.split(',').flatMap((member) => {
    const name = member.split('=', 1)[0]?.trim().toLowerCase();
    if (name !== 'sha-256' && name !== 'sha-512') return [];
    const { algorithm, bytes } = ALGORITHMS[name];
    const digest = Buffer.from(MEMBER.exec(member)?.[2] ?? '', 'base64');
    if (digest.length !== bytes) throw unreadable(field, name);
    return [{ algorithm, digest, mismatch: mismatch(field) }];
  });

const unreadable = (field: string, algorithm: string): AppError =>
  new AppError('invalid_parameter', `The header ${field} cannot be read: write ${algorithm}=:BASE64:`);

const mismatch = (field: string): AppError =>
  new AppError('digest_mismatch', `What arrived has not the digest that ${field} announced: send it again.`);
