import { CounterTransform } from './srtp-counter.ts';
import { GcmTransform } from './srtp-gcm.ts';
import { deriveSessionKeys, type SessionKeys } from './srtp-keys.ts';
import { SRTP_SUITES, type SrtpKeying, type SrtpSuiteName } from './srtp-suite.ts';
import type { SrtpTransform } from './srtp-transform.ts';

/** The two transforms of one direction of a call. */
export interface SrtpProtection {
  readonly suite: SrtpSuiteName;
  readonly rtp: SrtpTransform;
  readonly rtcp: SrtpTransform;
}

const rtpTransform = (suiteName: SrtpSuiteName, keys: SessionKeys): SrtpTransform => {
  const { cipher, rtpTagBytes } = SRTP_SUITES[suiteName];
  if (cipher === 'aes-128-ctr') return new CounterTransform(keys, rtpTagBytes);
  return new GcmTransform(keys, { cipher, isWordAuthenticated: false });
};

const rtcpTransform = (suiteName: SrtpSuiteName, keys: SessionKeys): SrtpTransform => {
  const { cipher, rtcpTagBytes } = SRTP_SUITES[suiteName];
  if (cipher === 'aes-128-ctr') return new CounterTransform(keys, rtcpTagBytes);
  return new GcmTransform(keys, { cipher, isWordAuthenticated: true });
};

/** From session keys, as the RFCs' test vectors give them. */
export const protectionOf = (
  suite: SrtpSuiteName,
  keys: { readonly rtp: SessionKeys; readonly rtcp: SessionKeys },
): SrtpProtection => ({ suite, rtp: rtpTransform(suite, keys.rtp), rtcp: rtcpTransform(suite, keys.rtcp) });

/** From a master key and salt of the suite's lengths. */
export const createProtection = (keying: SrtpKeying): SrtpProtection =>
  protectionOf(keying.suite, deriveSessionKeys(keying));
