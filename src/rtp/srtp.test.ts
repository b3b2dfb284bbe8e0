import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeRtpHeader } from './packet.ts';
import { deriveKey } from './srtp-keys.ts';
import { createProtection } from './srtp-protection.ts';
import { SrtpReceiver } from './srtp-receiver.ts';
import { MAX_SRTP_EXPANSION_BYTES, SrtpSender } from './srtp-sender.ts';
import { isSrtpSuiteName, SRTP_SUITES, type SrtpKeying, type SrtpSuiteName } from './srtp-suite.ts';

const hex = (of: Uint8Array | null): string => (of ? Buffer.from(of).toString('hex') : 'null');
const SUITES = Object.keys(SRTP_SUITES).filter(isSrtpSuiteName);
const anySuite = fc.constantFrom(...SUITES);

const keyingOf = (suite: SrtpSuiteName): SrtpKeying => ({
  suite,
  masterKey: new Uint8Array(SRTP_SUITES[suite].keyBytes).fill(7),
  masterSalt: new Uint8Array(SRTP_SUITES[suite].saltBytes).fill(9),
  mkiBytes: 0,
});

const rtp = (sequence: number, payload: Uint8Array = new Uint8Array(160).fill(3), ssrc = 5): Uint8Array => {
  const packet = new Uint8Array(12 + payload.length);
  writeRtpHeader(packet, { payloadType: 0, marker: false, sequence, timestamp: 160 * sequence, ssrc });
  packet.set(payload, 12);
  return packet;
};

const RTCP = Uint8Array.from(Buffer.from('80c90001000000058000000000000000', 'hex'));

const roomFor = (packet: Uint8Array): Uint8Array => {
  const buffer = new Uint8Array(packet.length + MAX_SRTP_EXPANSION_BYTES);
  buffer.set(packet);
  return buffer;
};
const sealRtp = (sender: SrtpSender, packet: Uint8Array): Uint8Array => {
  const buffer = roomFor(packet);
  return buffer.subarray(0, sender.sealRtp(buffer, packet.length));
};
const sealRtcp = (sender: SrtpSender, packet: Uint8Array): Uint8Array => {
  const buffer = roomFor(packet);
  return buffer.subarray(0, sender.sealRtcp(buffer, packet.length));
};

/** What is known of libsrtp's own test (`srtp_driver`): master key and salt of RFC 3711 B.3. */
const LIBSRTP: SrtpKeying = {
  suite: 'AES_CM_128_HMAC_SHA1_80',
  masterKey: Buffer.from('e1f97a0d3e018be0d64fa32c06de4139', 'hex'),
  masterSalt: Buffer.from('0ec675ad498afeebb6960b3aabe6', 'hex'),
  mkiBytes: 0,
};

describe('sealing and opening', () => {
  it('gives the octets that libsrtp gives', () => {
    const packet = Buffer.from('800f1234decafbadcafebabeabababababababababababababababab', 'hex');
    expect(hex(sealRtp(new SrtpSender(createProtection(LIBSRTP)), packet))).toBe(
      '800f1234decafbadcafebabe4e55dc4ce79978d88ca4d215949d2402b78d6acc99ea179b8dbb',
    );
  });

  it('derives from a 96-bit salt as if zeros followed it (RFC 7714 11)', () => {
    const key = Uint8Array.from({ length: 16 }, (_, i) => i);
    const salt = Uint8Array.from({ length: 12 }, (_, i) => 0x40 + i);
    expect(hex(deriveKey(key, salt, 2, 12))).toBe('1fcd5d561e66dc49ec1c3ccb');
  });

  it('any packets of any suite come out as they went in, and not in the clear between', () => {
    fc.assert(
      fc.property(
        anySuite,
        fc.nat(0xffff),
        fc.uint8Array({ minLength: 16, maxLength: 1_400 }),
        (suite, sequence, payload) => {
          const sealed = sealRtp(new SrtpSender(createProtection(keyingOf(suite))), rtp(sequence, payload));
          expect(Buffer.from(sealed).includes(Buffer.from(payload))).toBe(false);
          expect(hex(new SrtpReceiver(createProtection(keyingOf(suite)), 0).openRtp(sealed))).toBe(
            hex(rtp(sequence, payload)),
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  it.each(SUITES)('%s: tags of the right length, RTCP with index and E flag', (suite) => {
    const sender = new SrtpSender(createProtection(keyingOf(suite)));
    expect(sealRtp(sender, rtp(1)).length).toBe(172 + SRTP_SUITES[suite].rtpTagBytes);
    const receiver = new SrtpReceiver(createProtection(keyingOf(suite)), 0);
    for (let i = 0; i < 3; i++) {
      const sealed = sealRtcp(sender, RTCP);
      expect(sealed.length).toBe(RTCP.length + 4 + SRTP_SUITES[suite].rtcpTagBytes);
      expect(hex(receiver.openRtcp(sealed))).toBe(hex(RTCP));
    }
  });

  it.each(SUITES)('%s: the rollover counter goes on at both ends, twice, with loss and disorder around', (suite) => {
    const sender = new SrtpSender(createProtection(keyingOf(suite)));
    const receiver = new SrtpReceiver(createProtection(keyingOf(suite)), 0);
    const sequences: number[] = [];
    for (let i = 30_000; i < 140_000; i += 7_001) sequences.push(i);
    sequences.push(140_001, 140_003, 140_002);
    for (const i of sequences) expect(hex(receiver.openRtp(sealRtp(sender, rtp(i)))), `packet ${i}`).toBe(hex(rtp(i)));
  });

  it('a late packet from before the wrap is opened with the counter from before', () => {
    const sender = new SrtpSender(createProtection(keyingOf('AES_CM_128_HMAC_SHA1_80')));
    const receiver = new SrtpReceiver(createProtection(keyingOf('AES_CM_128_HMAC_SHA1_80')), 0);
    const [first, late, wrapped] = [65_534, 65_535, 65_536].map((i) => sealRtp(sender, rtp(i)));
    for (const packet of [first, wrapped, late]) expect(receiver.openRtp(packet ?? RTCP)).not.toBeNull();
  });

  it('a master key identifier is skipped where it stands', () => {
    for (const suite of SUITES) {
      const [sender, receiver] = [
        new SrtpSender(createProtection(keyingOf(suite))),
        new SrtpReceiver(createProtection(keyingOf(suite)), 2),
      ];
      const isTagLast = suite.startsWith('AES_CM');
      const spliced = (sealed: Uint8Array, tagBytes: number) => {
        const at = sealed.length - (isTagLast ? tagBytes : 0);
        return Uint8Array.from([...sealed.subarray(0, at), 0, 1, ...sealed.subarray(at)]);
      };
      const { rtpTagBytes, rtcpTagBytes } = SRTP_SUITES[suite];
      expect(hex(receiver.openRtp(spliced(sealRtp(sender, rtp(1)), rtpTagBytes)))).toBe(hex(rtp(1)));
      expect(hex(receiver.openRtcp(spliced(sealRtcp(sender, RTCP), rtcpTagBytes)))).toBe(hex(RTCP));
    }
  });
});

describe('what is dropped', () => {
  it.each(SUITES)('%s: repeats, and packets older than the window', (suite) => {
    const sender = new SrtpSender(createProtection(keyingOf(suite)));
    const receiver = new SrtpReceiver(createProtection(keyingOf(suite)), 0);
    const sealed = Array.from({ length: 66 }, (_, i) => sealRtp(sender, rtp(i)));
    const open = (i: number) => receiver.openRtp(Uint8Array.from(sealed[i] ?? []));
    expect(open(1)).not.toBeNull();
    expect(open(1)).toBeNull();
    expect(open(65)).not.toBeNull();
    expect(open(0)).toBeNull();
    expect(open(2)).not.toBeNull();
    expect(open(65)).toBeNull();
  });

  it.each(SUITES)('%s: repeated RTCP', (suite) => {
    const receiver = new SrtpReceiver(createProtection(keyingOf(suite)), 0);
    const sealed = sealRtcp(new SrtpSender(createProtection(keyingOf(suite))), RTCP);
    expect(receiver.openRtcp(Uint8Array.from(sealed))).not.toBeNull();
    expect(receiver.openRtcp(sealed)).toBeNull();
  });

  it('any packet with one bit turned, cut or made up; the next good one is opened all the same', () => {
    const turned = fc.tuple(anySuite, fc.boolean(), fc.nat(), fc.nat(7), fc.nat(40));
    fc.assert(
      fc.property(turned, ([suite, isRtcp, at, bit, cut]) => {
        const sender = new SrtpSender(createProtection(keyingOf(suite)));
        const receiver = new SrtpReceiver(createProtection(keyingOf(suite)), 0);
        const seal = () => (isRtcp ? sealRtcp(sender, RTCP) : sealRtp(sender, rtp(9)));
        const open = (octets: Uint8Array) => (isRtcp ? receiver.openRtcp(octets) : receiver.openRtp(octets));
        const good = seal();
        const bad = Uint8Array.from(good.subarray(0, good.length - cut));
        if (cut === 0) bad[at % bad.length] = (bad[at % bad.length] ?? 0) ^ (1 << bit);
        const before = hex(bad);
        expect(open(bad)).toBeNull();
        expect(hex(bad)).toBe(before);
        expect(open(good)).not.toBeNull();
      }),
      { numRuns: 500 },
    );
  });

  it('noise of any length', () => {
    const noise = fc.oneof(fc.uint8Array({ maxLength: 60 }), fc.constant(new Uint8Array(5_000).fill(0x80)));
    fc.assert(
      fc.property(anySuite, fc.nat(255), noise, (suite, mkiBytes, octets) => {
        const receiver = new SrtpReceiver(createProtection(keyingOf(suite)), mkiBytes);
        expect(receiver.openRtp(octets)).toBeNull();
        expect(receiver.openRtcp(octets)).toBeNull();
      }),
      { numRuns: 500 },
    );
  });

  it('the ninth source of a peer', () => {
    const receiver = new SrtpReceiver(createProtection(keyingOf('AEAD_AES_128_GCM')), 0);
    const opened = Array.from({ length: 9 }, (_, ssrc) => {
      const sender = new SrtpSender(createProtection(keyingOf('AEAD_AES_128_GCM')));
      return receiver.openRtp(sealRtp(sender, rtp(1, new Uint8Array(4), ssrc))) !== null;
    });
    expect(opened).toEqual([...Array<boolean>(8).fill(true), false]);
  });
});
