import { describe, expect, test } from 'vitest';
import { cryptoLineOf } from './crypto-line.ts';
import { type Reading, type RemoteMedia, readAnswer, type SrtpPolicy } from './offer-answer.ts';

const OURS = [
  cryptoLineOf(1, 'AEAD_AES_128_GCM', new Uint8Array(44).fill(1)),
  cryptoLineOf(2, 'AES_CM_128_HMAC_SHA1_80', new Uint8Array(44).fill(2)),
];
const HEAD = ['v=0', 'o=- 1 1 IN IP4 198.51.100.1', 's=-', 'c=IN IP4 198.51.100.1', 't=0 0'];

const sdp = (...media: readonly string[]): Uint8Array => new TextEncoder().encode([...HEAD, ...media, ''].join('\r\n'));
const read = (octets: Uint8Array, { srtp }: { readonly srtp: SrtpPolicy }): Reading =>
  readAnswer(octets, { codecs: ['PCMU'], allowLoopback: false, offeredCrypto: OURS, srtp });
const mediaOf = (reading: Reading): RemoteMedia => {
  if (!reading.ok) throw new Error(reading.problem);
  return reading.media;
};
const problemOf = (reading: Reading): string => (reading.ok ? 'none' : reading.problem);

describe('SRTP in an answer', () => {
  const GCM = 'a=crypto:1 AEAD_AES_128_GCM inline:CQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQ==';
  const CM = `a=crypto:2 AES_CM_128_HMAC_SHA1_80 inline:${Buffer.alloc(30, 8).toString('base64')}|2^31`;
  const plain = 'm=audio 4 RTP/AVP 0';
  const secure = 'm=audio 4 RTP/SAVP 0';

  test.each([
    ['required', secure, GCM, 1],
    ['required', plain, CM, 2],
    ['preferred', plain, CM, 2],
    ['preferred', secure, GCM, 1],
  ] as const)('%s, %s: the line that was taken up', (srtp, m, crypto, tag) => {
    expect(mediaOf(read(sdp(m, crypto), { srtp })).crypto).toMatchObject({ tag, keying: { mkiBytes: 0 } });
  });

  test('preferred: a peer that knows none of it answers plainly, and gets plain voice', () => {
    expect(mediaOf(read(sdp(plain), { srtp: 'preferred' }))).toMatchObject({ crypto: null, profile: 'RTP/AVP' });
  });

  test('off: keys under the plain profile mean nothing', () => {
    expect(mediaOf(read(sdp(plain, GCM), { srtp: 'off' })).crypto).toBeNull();
    expect(problemOf(read(sdp(secure, GCM), { srtp: 'off' }))).toMatch(/no RTP\/AVP audio stream/);
  });

  test.each([
    ['required', [plain], /SRTP is required/],
    ['required', [secure], /no crypto line that can be used/],
    ['preferred', [secure], /no crypto line that can be used/],
    ['preferred', [plain, `${GCM} UNENCRYPTED_SRTP`], /no crypto line/],
    ['preferred', [plain, GCM.replace(':1', ':2')], /no crypto line/],
    ['preferred', [plain, CM.replace(':2', ':9')], /no crypto line/],
    ['required', [secure, 'a=crypto:2 AES_CM_128_HMAC_SHA1_32 inline:AAAA'], /no crypto line/],
  ] as const)('%s: %j is refused', (srtp, lines, words) => {
    expect(problemOf(read(sdp(...lines), { srtp }))).toMatch(words);
  });
});
