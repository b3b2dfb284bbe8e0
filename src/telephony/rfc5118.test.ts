import { describe, expect, test } from 'vitest';
import { answerOfAgent, parsedTorture, statusOf, tortureNames, tortureOctets } from '../../test/support/torture.ts';
import type { SipRequest } from '../sip/message.ts';
import { parseMessage } from '../sip/parse.ts';

/** The IPv6 torture messages of RFC 5118, in the same columns as those of RFC 4475. */
type Row = readonly [name: string, parsed: 'request' | 'refused', answer: number, verdict: string];

const ROWS: readonly Row[] = [
  ['ipv6-good', 'request', 405, '4.1 well-formed; we are no registrar'],
  ['ipv6-bad', 'refused', 400, '4.2 should be answered 400'],
  ['port-ambiguous', 'request', 405, '4.3 well-formed, if not what its sender meant; we are no registrar'],
  ['port-unambiguous', 'request', 405, '4.4 well-formed; we are no registrar'],
  [
    'via-received-param-with-delim',
    'request',
    481,
    '4.5 must be parsed; its To has a tag, and it is in no dialog of ours',
  ],
  ['via-received-param-no-delim', 'request', 200, '4.5 must be parsed'],
  ['ipv6-in-sdp', 'request', 480, '4.6 valid and well-formed'],
  ['mult-ip-in-header', 'request', 481, '4.7 valid and well-formed; its To has a tag, and it is in no dialog of ours'],
  ['mult-ip-in-sdp', 'request', 480, '4.8 valid and well-formed'],
  ['ipv4-mapped-ipv6', 'request', 480, '4.9 must be parsed'],
  ['ipv6-bug-abnf-3-colons', 'request', 200, '4.10 must be tolerated'],
  ['ipv6-correct-abnf-2-colons', 'request', 200, '4.10 has the correct syntax'],
];

/**
 * The archive of this RFC has Unix line ends, which SIP has not; its two files of 4.10 lack the empty line that the text
 * of the RFC has; and of the two bodies that it calls 268 and 181 octets long neither is so in any form. On the wire
 * lines end in CRLF, an empty one ends the headers, and Content-Length is that of the body.
 */
const onTheWire = (name: string): Uint8Array => {
  const text = new TextDecoder().decode(tortureOctets('rfc5118', name)).replaceAll('\n', '\r\n');
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const whole = `${head.trimEnd()}\r\n\r\n${body}`;
  return new TextEncoder().encode(whole.replace(/Content-Length: [0-9]+/, `Content-Length: ${body.length}`));
};

const request = (name: string): SipRequest => parsedTorture(onTheWire(name)) as SipRequest;

test('none of the 12 messages is left out', () => {
  expect(ROWS).toHaveLength(12);
  expect(ROWS.map(([name]) => name).sort()).toEqual(tortureNames('rfc5118').sort());
});

test.each(ROWS)('%s: %s, answered %i (%s)', async (name, parsed, answer) => {
  const result = parseMessage(onTheWire(name));
  expect(result.ok ? result.message.kind : 'refused').toBe(parsed);
  expect(statusOf(await answerOfAgent(onTheWire(name)))).toBe(answer);
});

describe('what is understood', () => {
  test.each([
    ['ipv6-good', '[2001:db8::10]', null],
    ['port-ambiguous', '[2001:db8::10:5070]', null],
    ['port-unambiguous', '[2001:db8::10]', 5070],
    ['ipv6-bug-abnf-3-colons', '[2001:db8:::192.0.2.1]', null],
    ['ipv6-correct-abnf-2-colons', '[2001:db8::192.0.2.1]', null],
  ])('%s: the Request-URI names %s, port %s', (name, host, port) => {
    expect(request(name).uri).toMatchObject({ host, port });
  });

  test('Vias of both versions, with and without brackets around received', () => {
    expect(request('via-received-param-with-delim').vias[0].params[0]).toEqual(['received', '[2001:db8::9:255]']);
    expect(request('via-received-param-no-delim').vias[0].params[0]).toEqual(['received', '2001:db8::9:255']);
    expect(request('mult-ip-in-header').vias.map(({ host, port }) => [host, port])).toEqual([
      ['[2001:db8::9:1]', 6050],
      ['192.0.2.1', null],
      ['[2001:db8::9:255]', null],
    ]);
    expect(request('ipv4-mapped-ipv6').vias[0]).toMatchObject({ host: '[::ffff:192.0.2.10]', port: 19823 });
  });
});
