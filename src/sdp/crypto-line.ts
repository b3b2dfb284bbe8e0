import { isSrtpSuiteName, SRTP_SUITES, type SrtpKeying } from '../rtp/srtp-suite.ts';

/** One `a=crypto` line: what its writer encrypts with (RFC 4568). */
export interface CryptoLine {
  /** Answer and offer name the same. */
  readonly tag: number;
  readonly keying: SrtpKeying;
}

const LINE = /^([0-9]{1,9}) ([A-Za-z0-9_]+) (\S+)((?: \S+)*) *$/;
/** One key, with an optional lifetime and an optional master key identifier. Several keys are not understood. */
const KEY = /^inline:([A-Za-z0-9+/]+={0,2})(?:\|(?:2\^[0-9]{1,2}|[0-9]{1,15}))?(?:\|[0-9]{1,39}:([0-9]{1,3}))?$/i;
/** Session parameters that change nothing for us: a hint, and extensions that may be ignored (RFC 4568 6.3.7). */
const HARMLESS = /^(?:WSH=[0-9]+|-.*)$/;
const MAX_MKI_BYTES = 128;

const readKeying = (suite: string, keyParameters: string): SrtpKeying | null => {
  const [, base64, mkiLength] = KEY.exec(keyParameters) ?? [];
  if (!isSrtpSuiteName(suite) || base64 === undefined) return null;
  const { keyBytes, saltBytes } = SRTP_SUITES[suite];
  const octets = Buffer.from(base64, 'base64');
  const mkiBytes = Number(mkiLength ?? 0);
  if (octets.length !== keyBytes + saltBytes || mkiBytes > MAX_MKI_BYTES) return null;
  return { suite, masterKey: octets.subarray(0, keyBytes), masterSalt: octets.subarray(keyBytes), mkiBytes };
};

/**
 * Reads what follows `a=crypto:`. Null if it cannot be honoured to the letter: another suite, several keys, a key of
 * the wrong length, or a session parameter such as UNENCRYPTED_SRTP, which a line may not be used without (6.3).
 */
export const readCryptoLine = (text: string): CryptoLine | null => {
  const [, tag, suite = '', keyParameters = '', session = ''] = LINE.exec(text) ?? [];
  if (tag === undefined || !session.split(' ').every((word) => word === '' || HARMLESS.test(word))) return null;
  const keying = readKeying(suite, keyParameters);
  return keying && { tag: Number(tag), keying };
};

/** Key parameters as they stand in SDP, for `sdp-transform`. */
export const writeCryptoLine = ({ tag, keying }: CryptoLine): { id: number; suite: string; config: string } => {
  const key = Buffer.concat([keying.masterKey, keying.masterSalt]).toString('base64');
  return { id: tag, suite: keying.suite, config: `inline:${key}` };
};

/** A line of ours from random octets: `random` has at least the suite's key and salt, 44 octets for any suite. */
export const cryptoLineOf = (tag: number, suite: SrtpKeying['suite'], random: Uint8Array): CryptoLine => {
  const { keyBytes, saltBytes } = SRTP_SUITES[suite];
  const masterKey = random.slice(0, keyBytes);
  return { tag, keying: { suite, masterKey, masterSalt: random.slice(keyBytes, keyBytes + saltBytes), mkiBytes: 0 } };
};
