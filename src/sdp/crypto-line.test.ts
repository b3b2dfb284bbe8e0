import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSrtpSuiteName, SRTP_SUITES } from '../rtp/srtp-suite.ts';
import { cryptoLineOf, readCryptoLine, writeCryptoLine } from './crypto-line.ts';

const KEY = 'WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz';
const SUITES = Object.keys(SRTP_SUITES).filter(isSrtpSuiteName);

describe('a crypto line', () => {
  it('the example of RFC 4568 9.1: key, salt, lifetime, master key identifier', () => {
    const line = readCryptoLine(`1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}|2^20|1:4`);
    expect(line).toMatchObject({ tag: 1, keying: { suite: 'AES_CM_128_HMAC_SHA1_80', mkiBytes: 4 } });
    expect(Buffer.from(line?.keying.masterKey ?? []).toString('latin1')).toBe('YS___semctl () {');
    expect(line?.keying.masterSalt).toHaveLength(14);
  });

  it('any of ours is read as it was written', () => {
    const random = fc.uint8Array({ minLength: 44, maxLength: 44 });
    fc.assert(
      fc.property(fc.constantFrom(...SUITES), fc.nat(99), random, (suite, tag, octets) => {
        const line = cryptoLineOf(tag, suite, octets);
        const { id, suite: name, config } = writeCryptoLine(line);
        const back = readCryptoLine(`${id} ${name} ${config}`);
        expect(JSON.stringify(back?.keying.masterKey)).toBe(JSON.stringify(Buffer.from(line.keying.masterKey)));
        expect(JSON.stringify(back?.keying.masterSalt)).toBe(JSON.stringify(Buffer.from(line.keying.masterSalt)));
        expect(back).toMatchObject({ tag, keying: { suite, mkiBytes: 0 } });
      }),
    );
  });

  it.each([
    ['a lifetime in full', `1 AES_CM_128_HMAC_SHA1_32 inline:${KEY}|1048576`],
    ['an identifier without lifetime', `1 AES_CM_128_HMAC_SHA1_32 inline:${KEY}|1:1`],
    ['a hint at the window', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY} WSH=64`],
    ['an extension that may be ignored', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY} WSH=64 -x=1`],
    [
      'base64 without its padding',
      `7 AEAD_AES_128_GCM inline:${Buffer.alloc(28).toString('base64').replace(/=/g, '')}`,
    ],
  ])('%s is fine', (_, text) => {
    expect(readCryptoLine(text)).not.toBeNull();
  });

  it.each([
    ['voice in the clear', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY} UNENCRYPTED_SRTP`],
    ['voice in the clear, said second', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY} WSH=64 UNENCRYPTED_SRTP`],
    ['RTCP in the clear', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY} UNENCRYPTED_SRTCP`],
    ['no authentication', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY} UNAUTHENTICATED_SRTP`],
    ['a key derivation rate', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY} KDR=1`],
    ['two keys', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}|2^20|1:4;inline:${KEY}|2^20|2:4`],
    ['another suite', `1 F8_128_HMAC_SHA1_80 inline:${KEY}`],
    ['a suite that objects inherit', `1 constructor inline:${KEY}`],
    ['a short key', '1 AES_CM_128_HMAC_SHA1_80 inline:AAAA'],
    ['a key of another suite', `1 AEAD_AES_256_GCM inline:${KEY}`],
    ['an identifier too long', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}|1:129`],
    ['no inline', `1 AES_CM_128_HMAC_SHA1_80 uri:${KEY}`],
    ['no tag', `AES_CM_128_HMAC_SHA1_80 inline:${KEY}`],
    ['nothing', ''],
  ])('%s is not taken', (_, text) => {
    expect(readCryptoLine(text)).toBeNull();
  });
});
