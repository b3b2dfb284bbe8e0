import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HmacSha1 } from './hmac-sha1.ts';
import { MAX_SRTP_BYTES } from './srtp-transform.ts';

const octets = (maxLength: number) => fc.uint8Array({ maxLength, size: 'max' });
const word = fc.uint8Array({ minLength: 4, maxLength: 4 });

it('is the HMAC-SHA1 of node:crypto, for keys and messages of every length, one after the other', () => {
  const messages = fc.array(fc.tuple(octets(MAX_SRTP_BYTES), word), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(octets(64), octets(64), messages, (key, otherKey, texts) => {
      const hmac = new HmacSha1(key);
      new HmacSha1(otherKey).digest(otherKey, otherKey.length, new Uint8Array(4));
      for (const [text, last] of texts) {
        const expected = createHmac('sha1', key).update(text).update(last).digest('hex');
        expect(Buffer.from(hmac.digest(text, text.length, last)).toString('hex')).toBe(expected);
      }
    }),
  );
});

it('hashes no more of the octets than it is told to', () => {
  const hmac = new HmacSha1(Uint8Array.of(1));
  const short = hmac.digest(new Uint8Array(12), 12, new Uint8Array(4)).toString();
  expect(hmac.digest(Uint8Array.of(...new Uint8Array(12), 9), 12, new Uint8Array(4)).toString()).toBe(short);
});

it.each([54, 55, 56, 59, 60, 63, 64, 119, 120])('pads a message of %i octets and a word', (length) => {
  const text = new Uint8Array(length).fill(7);
  const expected = createHmac('sha1', 'key').update(text).update('word').digest('hex');
  expect(Buffer.from(new HmacSha1(Buffer.from('key')).digest(text, length, Buffer.from('word'))).toString('hex')).toBe(
    expected,
  );
});
