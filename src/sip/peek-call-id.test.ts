import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { peekCallId } from './peek-call-id.ts';

const peek = (text: string) => peekCallId(Buffer.from(text, 'latin1'));

it.each([
  ['Call-ID: a@b\r\n', 'a@b'],
  ['CALL-id  :\t a@b \r\n', 'a@b'],
  ['i:a\r\n', 'a'],
  ['I : a\r\n', 'a'],
  ['Via: x;i:no\r\nInfo: i:no\r\ni: yes\r\n', 'yes'],
  ['Call-ID-Of: no\r\nCall-ID: yes\r\n', 'yes'],
  ['Call-ID: yes', 'yes'],
])('is read out of %j', (header, callId) => {
  expect(peek(`BYE sip:a@b SIP/2.0\r\n${header}\r\n`)).toBe(callId);
});

it.each([
  ['BYE sip:a@b SIP/2.0\r\nTo: a\r\n\r\nCall-ID: in-the-body\r\n'],
  [''],
  ['Call-ID: first line'],
  ['\r\n\r\n'],
])('is not seen in %j', (text) => {
  expect(peek(text)).toBeNull();
});

it('is looked for in any octets without an error, also in a part of a buffer', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (octets) => {
      const message = Buffer.concat([
        octets.map((octet) => (octet === 10 || octet === 13 ? 0 : octet)),
        Buffer.from('\r\ni: x\r\n'),
      ]);
      expect(peekCallId(message.subarray(1))).toBe('x');
      peekCallId(octets);
    }),
  );
});
