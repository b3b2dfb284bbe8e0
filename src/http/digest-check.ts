import { createHash } from 'node:crypto';
import type { AppError } from '../domain/app-error.ts';

/** A digest that the sender announced for a body, and what to tell it if the body is another one. */
export interface ExpectedDigest {
  readonly algorithm: 'sha1' | 'sha256' | 'sha512';
  readonly digest: Buffer;
  readonly mismatch: AppError;
}

export interface DigestCheck {
  update(octets: Uint8Array): void;
  /** To be called when all of the body was fed; throws `mismatch` of the first digest that does not fit. */
  verify(): void;
}

export const startDigestCheck = (expected: readonly ExpectedDigest[]): DigestCheck => {
  const running = expected.map((each) => ({ ...each, hash: createHash(each.algorithm) }));
  return {
    update(octets) {
      for (const { hash } of running) hash.update(octets);
    },
    verify() {
      for (const { hash, digest, mismatch } of running) if (!hash.digest().equals(digest)) throw mismatch;
    },
  };
};

/** The octets as they come; throws at their end if they are not those that were announced. */
export async function* checked(
  octets: AsyncIterable<Uint8Array>,
  expected: readonly ExpectedDigest[],
): AsyncGenerator<Uint8Array> {
  const check = startDigestCheck(expected);
  for await (const chunk of octets) {
    check.update(chunk);
    yield chunk;
  }
  check.verify();
}
