/** What peers of benches that play encrypted would have agreed to. */
export const SEALING = {
  suite: 'AES_CM_128_HMAC_SHA1_80',
  masterKey: Buffer.alloc(16, 1),
  masterSalt: Buffer.alloc(14, 2),
  mkiBytes: 0,
} as const;
