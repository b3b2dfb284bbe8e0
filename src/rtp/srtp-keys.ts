import { createCipheriv } from 'node:crypto';
import { SRTP_SUITES, type SrtpKeying } from './srtp-suite.ts';

/** What packets are encrypted and authenticated with. */
export interface SessionKeys {
  readonly key: Uint8Array;
  readonly salt: Uint8Array;
  /** Of no use to the GCM suites. */
  readonly authenticationKey: Uint8Array;
}

const AUTHENTICATION_KEY_BYTES = 20;
const LABEL_AT = 7;

/** RFC 3711 4.3.1 with a key derivation rate of 0: `length` octets of AES-CM keystream for the label. */
export const deriveKey = (masterKey: Uint8Array, masterSalt: Uint8Array, label: number, length: number): Uint8Array => {
  const counter = new Uint8Array(16);
  counter.set(masterSalt);
  counter[LABEL_AT] = (counter[LABEL_AT] ?? 0) ^ label;
  const cipher = createCipheriv(masterKey.length === 32 ? 'aes-256-ctr' : 'aes-128-ctr', masterKey, counter);
  return cipher.update(new Uint8Array(length));
};

/** The session keys for RTP and for RTCP (RFC 3711 4.3.2, RFC 7714 11). */
export const deriveSessionKeys = (keying: SrtpKeying): { readonly rtp: SessionKeys; readonly rtcp: SessionKeys } => {
  const { keyBytes, saltBytes } = SRTP_SUITES[keying.suite];
  const derive = (label: number, length: number): Uint8Array =>
    deriveKey(keying.masterKey, keying.masterSalt, label, length);
  const from = (label: number): SessionKeys => ({
    key: derive(label, keyBytes),
    authenticationKey: derive(label + 1, AUTHENTICATION_KEY_BYTES),
    salt: derive(label + 2, saltBytes),
  });
  return { rtp: from(0), rtcp: from(3) };
};
