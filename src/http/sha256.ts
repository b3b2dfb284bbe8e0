import { createHash, timingSafeEqual } from 'node:crypto';
import type { Hasher } from '../app/keep-clip.ts';

/** SHA-256 of a text in hex. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export const startSha256 = (): Hasher => {
  const hash = createHash('sha256');
  return { update: (octets) => void hash.update(octets), hex: () => hash.digest('hex') };
};

/** Whether two secrets are the same, in a time that tells nothing of where they differ or how long they are. */
export const isSameSecret = (left: string, right: string): boolean => {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
};
