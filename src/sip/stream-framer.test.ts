import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { requestOf } from '../../test/support/sip-messages.ts';
import { MAX_MESSAGE_BYTES } from './parse.ts';
import { serializeMessage } from './serialize.ts';
import { createStreamFramer, type Frame } from './stream-framer.ts';

const octetsOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (octets: Uint8Array): string => new TextDecoder().decode(octets);
const wordsOf = (frame: Frame): string => ('octets' in frame ? `${frame.kind} ${textOf(frame.octets)}` : frame.kind);

/** One frame for all octets of a message, whatever they are. */
const read = (...chunks: readonly Uint8Array[]): string[] => {
  const framer = createStreamFramer();
  return chunks.flatMap((chunk) => framer.push(chunk).map(wordsOf));
};

const BYE = textOf(serializeMessage(requestOf('BYE')));
const INVITE = textOf(
  serializeMessage(requestOf('INVITE', { contentType: 'text/plain', body: octetsOf('\r\n\r\nb\r\n\r\n') })),
);

describe('a stream of messages', () => {
  test('is understood wherever it is cut in three', () => {
    const stream = octetsOf(`\r\n${INVITE}\r\n\r\n${BYE}\r\n\r\n\r\n${INVITE}`);
    const whole = read(stream);
    expect(whole).toEqual([`message ${INVITE}`, 'ping', `message ${BYE}`, 'ping', `message ${INVITE}`]);
    for (let first = 0; first <= stream.length; first++) {
      expect(read(stream.subarray(0, first), stream.subarray(first))).toEqual(whole);
    }
    fc.assert(
      fc.property(fc.nat(stream.length), fc.nat(stream.length), (a, b) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        expect(read(stream.subarray(0, from), stream.subarray(from, to), stream.subarray(to))).toEqual(whole);
      }),
    );
  });

  test('is understood octet by octet', () => {
    const stream = octetsOf(`${INVITE}\r\n\r\n${BYE}`);
    expect(read(...Array.from(stream, (octet) => Uint8Array.of(octet)))).toEqual([
      `message ${INVITE}`,
      'ping',
      `message ${BYE}`,
    ]);
  });

  test('of any octets never throws, and means the same however it is cut', () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 20 }),
      fc.constantFrom(BYE, INVITE, '\r\n', '\r\n\r\n', '\r', 'l: 5\r\n\r\n', 'X\r\n\r\n').map(octetsOf),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const stream = Buffer.concat(pieces);
        expect(read(...pieces)).toEqual(read(stream));
      }),
    );
  });
});

describe('keep-alives (RFC 5626)', () => {
  test('a double CRLF is a ping, a single one the answer to ours', () => {
    expect(read(octetsOf('\r\n'))).toEqual([]);
    expect(read(octetsOf('\r\n\r\n'))).toEqual(['ping']);
    expect(read(octetsOf('\r\n\r\n\r\n\r\n'))).toEqual(['ping', 'ping']);
  });

  test('do not count as a message that has begun', () => {
    const framer = createStreamFramer();
    framer.push(octetsOf('\r\n'));
    expect(framer.isInMessage).toBe(false);
    framer.push(octetsOf('B'));
    expect(framer.isInMessage).toBe(true);
  });
});

describe('Content-Length', () => {
  const message = (...headers: string[]): Uint8Array =>
    octetsOf(['BYE sip:a SIP/2.0', ...headers, '', 'hello'].join('\r\n'));

  test.each([['content-length:5'], ['CONTENT-LENGTH \t:  5  '], ['l: 5'], ['Content-Length:\r\n 5'], ['l: 5\r\nl: 5']])(
    'is read from %j',
    (header) => expect(read(message('X: y', header))).toEqual([`message ${textOf(message('X: y', header))}`]),
  );

  test.each([['X: y'], ['Content-Length: five'], ['Content-Length: -5'], ['l: 5\r\nl: 4'], ['X-l: 5']])(
    'that is missing or senseless (%j) ends the stream with the headers',
    (header) => {
      const framer = createStreamFramer();
      expect(framer.push(message(header)).map(wordsOf)).toEqual([`unframed ${textOf(message(header)).slice(0, -5)}`]);
      expect(framer.push(octetsOf(BYE))).toEqual([]);
    },
  );
});

describe('what is too long ends the stream', () => {
  test('by what it states', () => {
    expect(read(octetsOf(`BYE sip:a SIP/2.0\r\nl: ${MAX_MESSAGE_BYTES}\r\n\r\n`))).toEqual(['broken']);
    expect(read(octetsOf('BYE sip:a SIP/2.0\r\nl: 9999999999\r\n\r\n'))).toEqual(['broken']);
  });

  test('by headers that do not end, in small parts too', () => {
    expect(read(new Uint8Array(MAX_MESSAGE_BYTES + 1).fill(65))).toEqual(['broken']);
    const part = new Uint8Array(1_000).fill(65);
    expect(read(...Array.from({ length: 70 }, () => part))).toEqual(['broken']);
  });
});
