import { createCipheriv } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CounterCipher } from './srtp-counter.ts';
import { emptyPlan, MAX_SRTP_BYTES } from './srtp-transform.ts';

const KEY = new Uint8Array(16).fill(1);
const SALT = new Uint8Array(14).fill(0xa5);

/** AES-CM of nothing by the cipher of `node:crypto`, its counter put together as RFC 3711 4.1.1 says. */
const expectedKeystream = (ssrc: number, index: number, length: number): Buffer => {
  const salt = BigInt(`0x${Buffer.from(SALT).toString('hex')}`) << 16n;
  const iv = salt ^ (BigInt(ssrc) << 64n) ^ (BigInt(index) << 16n);
  const counter = Buffer.from(iv.toString(16).padStart(32, '0'), 'hex');
  return createCipheriv('aes-128-ctr', KEY, counter).update(new Uint8Array(length));
};

it('has the keystream of each packet, in whatever order they come and however long they are', () => {
  const packet = fc.record({
    ssrc: fc.oneof(fc.constantFrom(0, 1), fc.nat(0xffff_ffff)),
    index: fc.oneof(fc.nat(12), fc.integer({ min: 0xfff8, max: 0x1_0008 }), fc.nat(2 ** 48 - 1)),
    length: fc.oneof(fc.constantFrom(0, 4, 160), fc.nat(MAX_SRTP_BYTES - 12)),
  });
  fc.assert(
    fc.property(fc.array(packet, { size: 'medium', maxLength: 30 }), (packets) => {
      const cipher = new CounterCipher(KEY, SALT);
      for (const { ssrc, index, length } of packets) {
        const octets = new Uint8Array(12 + length);
        cipher.apply(octets, { ...emptyPlan(), ssrc, index, bodyStart: 12, bodyEnd: octets.length });
        expect(Buffer.compare(octets.subarray(12), expectedKeystream(ssrc, index, length))).toBe(0);
      }
    }),
  );
});

it('has it for a stream, packet by packet, past the end of the sequence numbers', () => {
  const cipher = new CounterCipher(KEY, SALT);
  for (let index = 0xfffa; index < 0x1_000a; index += 1) {
    const octets = new Uint8Array(160);
    cipher.apply(octets, { ...emptyPlan(), ssrc: 7, index, bodyEnd: 160 });
    expect(Buffer.compare(octets, expectedKeystream(7, index, 160))).toBe(0);
  }
});
