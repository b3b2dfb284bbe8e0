import { AppError } from '../domain/app-error.ts';
import type { ExpectedDigest } from './digest-check.ts';

const BYTES = { sha1: 20, sha256: 32, sha512: 64 } as const;

/** What `Tus-Checksum-Algorithm` announces. */
export const CHECKSUM_ALGORITHMS = Object.keys(BYTES).join(',');

/** `Upload-Checksum` of the tus checksum extension: an algorithm, a space, and a digest in Base64. */
export const uploadChecksums = (header: string | undefined): readonly ExpectedDigest[] => {
  if (header === undefined) return [];
  const [, name = '', text = ''] = /^([a-z0-9]+) ([A-Za-z0-9+/]+={0,2})$/.exec(header) ?? [];
  const digest = Buffer.from(text, 'base64');
  if (isAlgorithm(name) && digest.length === BYTES[name]) return [{ algorithm: name, digest, mismatch }];
  throw new AppError('invalid_parameter', 'Upload-Checksum must be sha1, sha256 or sha512, a space, and the Base64.');
};

const isAlgorithm = (name: string): name is keyof typeof BYTES => Object.hasOwn(BYTES, name);

const mismatch = new AppError('checksum_mismatch', 'This part has not the checksum announced, and was dropped.');
