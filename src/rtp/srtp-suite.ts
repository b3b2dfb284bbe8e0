/** The crypto suites that Ringcast speaks (RFC 4568 6.2, RFC 7714 14.2), by their names in SDP. */
export interface SrtpSuite {
  readonly cipher: 'aes-128-ctr' | 'aes-128-gcm' | 'aes-256-gcm';
  readonly keyBytes: number;
  readonly saltBytes: number;
  readonly rtpTagBytes: number;
  /** RTCP keeps 80 bits where RTP is cut to 32 (RFC 4568 6.2.2). */
  readonly rtcpTagBytes: number;
}

const COUNTER = { cipher: 'aes-128-ctr', keyBytes: 16, saltBytes: 14, rtcpTagBytes: 10 } as const;
const GCM = { saltBytes: 12, rtpTagBytes: 16, rtcpTagBytes: 16 } as const;

export const SRTP_SUITES = {
  AES_CM_128_HMAC_SHA1_80: { ...COUNTER, rtpTagBytes: 10 },
  AES_CM_128_HMAC_SHA1_32: { ...COUNTER, rtpTagBytes: 4 },
  AEAD_AES_128_GCM: { ...GCM, cipher: 'aes-128-gcm', keyBytes: 16 },
  AEAD_AES_256_GCM: { ...GCM, cipher: 'aes-256-gcm', keyBytes: 32 },
} as const satisfies Readonly<Record<string, SrtpSuite>>;

export type SrtpSuiteName = keyof typeof SRTP_SUITES;

export const isSrtpSuiteName = (name: string): name is SrtpSuiteName => Object.hasOwn(SRTP_SUITES, name);

/**
 * An HMAC comes last of all in a packet. A GCM tag is part of the ciphertext, and SRTCP index and master key identifier
 * follow (RFC 7714 8.1, 9.1).
 */
export const isTagLast = (suite: SrtpSuite): boolean => suite.cipher === 'aes-128-ctr';

/** What one side encrypts with, as it stands in its `a=crypto` line. */
export interface SrtpKeying {
  readonly suite: SrtpSuiteName;
  readonly masterKey: Uint8Array;
  readonly masterSalt: Uint8Array;
  /** Octets of the master key identifier in each packet; 0 for none (RFC 3711 3.1). */
  readonly mkiBytes: number;
}

const isSameOctets = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((octet, i) => octet === b[i]);

/** Whether both encrypt alike, none being a key as well. */
export const isSameKeying = (a: SrtpKeying | null, b: SrtpKeying | null): boolean =>
  a === null || b === null
    ? a === b
    : a.suite === b.suite && isSameOctets(a.masterKey, b.masterKey) && isSameOctets(a.masterSalt, b.masterSalt);
