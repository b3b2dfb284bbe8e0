import { describe, expect, it } from 'vitest';
import { CounterCipher } from './srtp-counter.ts';
import { deriveKey } from './srtp-keys.ts';
import { protectionOf } from './srtp-protection.ts';
import { SrtpReceiver } from './srtp-receiver.ts';
import { SrtpSender } from './srtp-sender.ts';
import type { SrtpSuiteName } from './srtp-suite.ts';
import { emptyPlan, type SrtpTransform, writeWord } from './srtp-transform.ts';

const octets = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex.replaceAll(/\s/g, ''), 'hex'));
const hex = (of: Uint8Array): string => Buffer.from(of).toString('hex');

describe('RFC 3711 appendix B', () => {
  it('B.2: AES-CM keystream', () => {
    const cipher = new CounterCipher(
      octets('2b7e151628aed2a6abf7158809cf4f3c'),
      octets('f0f1f2f3f4f5f6f7f8f9fafbfcfd'),
    );
    const keystream = new Uint8Array(48);
    cipher.apply(keystream, { ...emptyPlan(), bodyEnd: 48 });
    expect(hex(keystream)).toBe(
      'e03ead0935c95e80e166b16dd92b4eb4d23513162b02d0f72a43a2fe4a5f97ab41e95b3bb0a2e8dd477901e4fca894c0',
    );
  });

  it('B.3: key derivation', () => {
    const key = octets('e1f97a0d3e018be0d64fa32c06de4139');
    const salt = octets('0ec675ad498afeebb6960b3aabe6');
    expect(hex(deriveKey(key, salt, 0, 16))).toBe('c61e7a93744f39ee10734afe3ff7a087');
    expect(hex(deriveKey(key, salt, 2, 14))).toBe('30cbbc08863d8c85d49db34a9ae1');
    expect(hex(deriveKey(key, salt, 1, 94))).toBe(
      [
        'cebe321f6ff7716b6fd4ab49af256a156d38baa48f0a0acf3c34e2359e6cdbce',
        'e049646c43d9327ad175578ef72270986371c10c9a369ac2f94a8c5fbcdddc25',
        '6d6e919a48b610ef17c2041e474035766b68642c59bbfc2f34db60dbdfb2',
      ].join(''),
    );
  });
});

const KEYS: Readonly<Record<string, string>> = {
  AEAD_AES_128_GCM: '000102030405060708090a0b0c0d0e0f',
  AEAD_AES_256_GCM: '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f',
};
const protectionFor = (suite: SrtpSuiteName) => {
  const salt = octets('517569642070726f2071756f');
  const keys = { key: octets(KEYS[suite] ?? ''), salt, authenticationKey: new Uint8Array(20) };
  return protectionOf(suite, { rtp: keys, rtcp: keys });
};
const RTP = '8040f17b8041f8d35501a0b247616c6c696120657374206f6d6e69732064697669736120696e207061727465732074726573';
const RTCP = '81c8000d4d6172734e5450314e545032525450200000042a0000e9304c756e61deadbeefdeadbeefdeadbeefdeadbeefdeadbeef';
describe('RFC 7714 section 16: RTP', () => {
  it.each([
    [
      'AEAD_AES_128_GCM',
      'f24de3a3fb34de6cacba861c9d7e4bcabe633bd50d294e6f42a5f47a51c7d19b36de3adf8833899d7f27beb16a9152cf765ee4390cce',
    ],
    [
      'AEAD_AES_256_GCM',
      '32b1de78a822fe12ef9f78fa332e33aab18012389a58e2f3b50b2a0276ffae0f1ba63799b87b7aa3db36dfffd6b0f9bb7878d7a76c13',
    ],
  ] as const)('16.1.1, 16.1.2, 16.2.1, 16.2.2: %s sealed and opened', (suite, expected) => {
    const buffer = octets(RTP + '00'.repeat(20));
    const length = new SrtpSender(protectionFor(suite)).sealRtp(buffer, 50);
    expect(hex(buffer.subarray(0, length))).toBe(RTP.slice(0, 24) + expected);
    const opened = new SrtpReceiver(protectionFor(suite), 0).openRtp(buffer.subarray(0, length));
    expect(hex(opened ?? new Uint8Array())).toBe(RTP);
  });

  it.each([
    ['AEAD_AES_128_GCM', '22493f82d2bce397e9d79e3b19aa4216'],
    ['AEAD_AES_256_GCM', 'a866d5910f887463067ceefec45215d4'],
  ] as const)('16.1.3, 16.1.4, 16.2.3, 16.2.4: %s tagged, not encrypted', (suite, tag) => {
    const packet = octets(RTP + '00'.repeat(16));
    const plan = { ...emptyPlan(), ssrc: 0x5501a0b2, index: 0xf17b, bodyStart: 12, bodyEnd: 50, tagStart: 50 };
    expectTagged(protectionFor(suite).rtp, packet, { ...plan, isEncrypted: false }, RTP + tag);
  });
});

describe('RFC 7714 section 17: RTCP', () => {
  const INDEX = 0x5d4;

  it.each([
    [
      'AEAD_AES_128_GCM',
      '63e94885dcdab67ca727d7662f6b7e997ff5c0f76c06f32dc676a5f1730d6fda4ce09b4686303ded0bb9275bc84aa45896cf4d2fc5abf87245d9eade800005d4',
    ],
    [
      'AEAD_AES_256_GCM',
      'd50ae4d1f5ce5d304ba297e47d470c282c3ece5dbffe0a50a2eaa5c1110555be8415f658c61de0476f1b6fad1d1eb30c4446839f57ff6f6cb26ac3be800005d4',
    ],
  ] as const)('17.1, 17.2: %s sealed and opened', (suite, expected) => {
    const sender = new SrtpSender(protectionFor(suite));
    const buffer = new Uint8Array(80);
    let length = 0;
    for (let index = 0; index <= INDEX; index++) {
      buffer.set(octets(RTCP));
      length = sender.sealRtcp(buffer, 52);
    }
    expect(hex(buffer.subarray(0, length))).toBe(RTCP.slice(0, 16) + expected);
    const opened = new SrtpReceiver(protectionFor(suite), 0).openRtcp(buffer.subarray(0, length));
    expect(hex(opened ?? new Uint8Array())).toBe(RTCP);
  });

  it.each([
    ['AEAD_AES_128_GCM', '841dd9683dd78ec92ae58790125f62b3'],
    ['AEAD_AES_256_GCM', '91db4afbfeee5a978fab4393ed2615fe'],
  ] as const)('17.3, 17.4: %s tagged, not encrypted', (suite, tag) => {
    const packet = octets(RTCP + '00'.repeat(16));
    const plan = { ...emptyPlan(), ssrc: 0x4d617273, index: INDEX, bodyStart: 8, bodyEnd: 52, tagStart: 52 };
    writeWord(plan.word, INDEX);
    expectTagged(protectionFor(suite).rtcp, packet, { ...plan, isEncrypted: false }, RTCP + tag);
    const whole = octets(`${RTCP}${tag}000005d4`);
    expect(hex(new SrtpReceiver(protectionFor(suite), 0).openRtcp(whole) ?? new Uint8Array())).toBe(RTCP);
  });
});

function expectTagged(
  transform: SrtpTransform,
  packet: Uint8Array,
  plan: ReturnType<typeof emptyPlan>,
  expected: string,
): void {
  transform.seal(packet, plan);
  expect(hex(packet)).toBe(expected);
  expect(transform.open(packet, plan)).toBe(true);
  packet[3] = 0;
  expect(transform.open(packet, plan)).toBe(false);
}
