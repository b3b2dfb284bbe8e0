import type { RandomSource } from '../domain/ports.ts';
import { SRTP_SUITES, type SrtpSuiteName } from '../rtp/srtp-suite.ts';
import { type CryptoLine, cryptoLineOf } from '../sdp/crypto-line.ts';

/** Best first (RFC 4568 5.1.1): of one strength, that which most peers have come to know. */
const OFFERED_SUITES: readonly SrtpSuiteName[] = [
  'AEAD_AES_256_GCM',
  'AEAD_AES_128_GCM',
  'AES_CM_128_HMAC_SHA1_80',
  'AES_CM_128_HMAC_SHA1_32',
];

const newLine = (tag: number, suite: SrtpSuiteName, random: RandomSource): CryptoLine => {
  const { keyBytes, saltBytes } = SRTP_SUITES[suite];
  return cryptoLineOf(tag, suite, Buffer.from(random.hex(keyBytes + saltBytes), 'hex'));
};

/** What an offer of ours has a peer choose from, each suite with a key of its own. */
export const offeredLines = (random: RandomSource): readonly CryptoLine[] =>
  OFFERED_SUITES.map((suite, i) => newLine(i + 1, suite, random));

/**
 * Our line for a peer's: with the key that is in use while the suite stays, so that nobody has to begin anew; else a
 * new one, as a key that was put away may not be taken up again (RFC 3711 9.1).
 */
export const lineFor = (
  theirs: CryptoLine | null,
  inUse: CryptoLine | null,
  random: RandomSource,
): CryptoLine | null => {
  if (theirs === null) return null;
  const { tag } = theirs;
  return inUse?.keying.suite === theirs.keying.suite
    ? { tag, keying: inUse.keying }
    : newLine(tag, theirs.keying.suite, random);
};
