import { describe, expect, test } from 'vitest';
import { findHeader, type SipMessage, type SipRequest, type SipResponse } from './message.ts';
import { MAX_HEADERS, MAX_MESSAGE_BYTES, parseMessage } from './parse.ts';

const octetsOf = (text: string): Uint8Array => new TextEncoder().encode(text);

const parsed = (text: string): SipMessage => {
  const result = parseMessage(octetsOf(text));
  if (!result.ok) throw new Error(result.problem);
  return result.message;
};

const problemOf = (text: string | Uint8Array): string | null => {
  const result = parseMessage(typeof text === 'string' ? octetsOf(text) : text);
  return result.ok ? null : result.problem;
};

const message = (...lines: readonly string[]): string => `${lines.join('\r\n')}\r\n\r\n`;

const INVITE = [
  'INVITE sip:bob@example.com SIP/2.0',
  'Via: SIP/2.0/UDP pc.example.com;branch=z9hG4bK776',
  'Max-Forwards: 70',
  'To: Bob <sip:bob@example.com>',
  'From: Alice <sip:alice@example.com>;tag=1928301774',
  'Call-ID: a84b4c76e66710@pc.example.com',
  'CSeq: 314159 INVITE',
  'Contact: <sip:alice@pc.example.com>',
];

/** The INVITE above with the line that begins with `start` replaced. */
const withLine = (start: string, ...lines: readonly string[]): string =>
  message(...INVITE.flatMap((line) => (line.startsWith(start) ? lines : [line])));

describe('what RFC 3261 requires to be understood', () => {
  test('a request', () => {
    const request = parsed(
      `${message(...INVITE, 'Content-Type: application/sdp', 'Content-Length: 4')}v=0\n`,
    ) as SipRequest;
    expect(request).toMatchObject({
      kind: 'request',
      method: 'INVITE',
      uri: { scheme: 'sip', user: 'bob', host: 'example.com', port: null },
      vias: [{ transport: 'UDP', host: 'pc.example.com', port: null, params: [['branch', 'z9hG4bK776']] }],
      from: { display: 'Alice', params: [['tag', '1928301774']] },
      callId: 'a84b4c76e66710@pc.example.com',
      cseq: { number: 314159, method: 'INVITE' },
      maxForwards: 70,
      contentType: 'application/sdp',
    });
    expect(new TextDecoder().decode(request.body)).toBe('v=0\n');
  });

  test('a response, its reason phrase empty or in UTF-8', () => {
    const rest = INVITE.slice(1);
    expect(parsed(message('SIP/2.0 180 ', ...rest))).toMatchObject({ kind: 'response', status: 180, reason: '' });
    expect(parsed(message('SIP/2.0 486 Занято сейчас', ...rest))).toMatchObject({ reason: 'Занято сейчас' });
    expect(parsed(message('SIP/2.0 486 a\u2028b', ...rest))).toMatchObject({ reason: 'a\u2028b' });
  });

  test('compact names, any letter case, folding, white space before the colon', () => {
    const request = parsed(
      message(
        'INVITE sip:bob@example.com sip/2.0',
        'v  : SIP / 2.0 / udp first.example.com: 4000;ttl=16',
        '  ;maddr=224.2.0.1 ;branch = z9hG4bKa7c6a8dlze.1',
        't:',
        '\t<sip:bob@example.com>',
        'FROM:sip:alice@example.com;tag=9',
        'i: x@y',
        'cSEQ: 0009',
        '  INVITE',
        'm: "Quoted \\"string\\"" <sip:a@h;lr>; newparam = newvalue, sip:b@h',
        'k: timer',
      ),
    ) as SipRequest;
    expect(request.vias).toEqual([
      {
        transport: 'UDP',
        host: 'first.example.com',
        port: 4000,
        params: [
          ['ttl', '16'],
          ['maddr', '224.2.0.1'],
          ['branch', 'z9hG4bKa7c6a8dlze.1'],
        ],
      },
    ]);
    expect(request.cseq.number).toBe(9);
    expect(request.contacts.map((contact) => [contact.display, contact.params])).toEqual([
      ['Quoted "string"', [['newparam', 'newvalue']]],
      [null, []],
    ]);
    expect(findHeader(request, 'supported')).toBe('timer');
  });

  test('several Vias in one line and in several, in order', () => {
    const text = withLine('Via', 'Via: SIP/2.0/UDP a;branch=1, SIP/2.0/TCP [2001:db8::1]:5061', 'v: SIP/2.0/UDP c');
    expect(parsed(text).vias.map((via) => [via.host, via.port])).toEqual([
      ['a', null],
      ['[2001:db8::1]', 5061],
      ['c', null],
    ]);
  });

  test('a comma or semicolon inside quotes or angle brackets separates nothing', () => {
    const text = withLine('Contact', 'Contact: "a, <b>; c" <sip:x;y=1@h,i@h2>;q="1,2"'.replace('@h,i', '%2Ci'));
    const [contact, ...others] = parsed(text).contacts;
    expect(others).toEqual([]);
    expect(contact?.display).toBe('a, <b>; c');
    expect(contact?.params).toEqual([['q', '"1,2"']]);
  });

  test('octets beyond Content-Length are dropped; without one the rest is the body', () => {
    expect(parsed(`${message(...INVITE, 'l: 2')}abcd`).body).toEqual(octetsOf('ab'));
    expect(parsed(`${message(...INVITE)}abcd`).body).toEqual(octetsOf('abcd'));
  });

  test('empty lines before the start line', () => {
    expect(parsed(`\r\n\r\n${message(...INVITE)}`).callId).toBe('a84b4c76e66710@pc.example.com');
  });

  test('controls as quoted pairs in a display name', () => {
    const text = withLine('From', 'From: "BEL:\\\u0007 NUL:\\\u0000 DEL:\\\u007f" <sip:a@b>;tag=1');
    expect(parsed(text).from.display).toBe('BEL:\u0007 NUL:\u0000 DEL:\u007f');
  });

  test('a tel: Request-URI and a wildcard Contact are carried', () => {
    const text = message('REGISTER tel:+15551230000 SIP/2.0', ...INVITE.slice(1, 6), 'CSeq: 1 REGISTER', 'Contact: *');
    const request = parsed(text) as SipRequest;
    expect(request.uri).toEqual({ scheme: 'tel', rest: '+15551230000' });
    expect([request.contacts, findHeader(request, 'contact')]).toEqual([[], '*']);
  });

  test('a broken UTF-8 sequence costs its character, not the message', () => {
    const octets = octetsOf(message('SIP/2.0 486 Occup?', ...INVITE.slice(1)));
    octets[octets.indexOf(0x3f)] = 0xe9;
    const result = parseMessage(octets);
    expect(result.ok && (result.message as SipResponse).reason).toBe('Occup\ufffd');
  });
});

describe('what is refused', () => {
  test.each([
    ['nothing', ''],
    ['only empty lines', '\r\n\r\n'],
    ['no end of the headers', INVITE.join('\r\n')],
    ['bare line feeds', message(...INVITE).replaceAll('\r\n', '\n')],
    ['a bare CR in a header', withLine('Call-ID', 'Call-ID: a\rb')],
    ['a NUL in a header', withLine('Max', 'Subject: a\u0000b')],
    ['an escaped line feed', withLine('From', 'From: "a\\\nb" <sip:a@b>;tag=1')],
    ['another version', withLine('INVITE', 'INVITE sip:bob@example.com SIP/7.0')],
    ['two spaces in the start line', withLine('INVITE', 'INVITE  sip:bob@example.com SIP/2.0')],
    ['white space in the Request-URI', withLine('INVITE', 'INVITE sip:bob@example.com; lr SIP/2.0')],
    ['an escape that is none in the Request-URI', withLine('INVITE', 'INVITE sip:bo%zzb@example.com SIP/2.0')],
    ['angle brackets around the Request-URI', withLine('INVITE', 'INVITE <sip:bob@example.com> SIP/2.0')],
    ['a status above 699', message('SIP/2.0 4294967301 better not', ...INVITE.slice(1))],
    ['CSeq of another method', withLine('CSeq', 'CSeq: 1 OPTIONS')],
    ['CSeq of 2^31', withLine('CSeq', 'CSeq: 2147483648 INVITE')],
    ['Content-Length below zero', message(...INVITE, 'Content-Length: -999')],
    ['Content-Length beyond the body', `${message(...INVITE, 'Content-Length: 9')}abc`],
    ['Max-Forwards above 255', withLine('Max', 'Max-Forwards: 300')],
    ['two Call-IDs', message(...INVITE, 'Call-ID: other')],
    ['no Via', withLine('Via')],
    ['no From', withLine('From')],
    ['no To', withLine('To')],
    ['no CSeq', withLine('CSeq')],
    ['no Call-ID', withLine('Call-ID')],
    ['a quote left open', withLine('To', 'To: "Bob <sip:bob@example.com>')],
    ['a bracket left open', withLine('To', 'To: Bob <sip:bob@example.com')],
    ['empty parameters', withLine('Contact', 'Contact: <sip:a@b>;;;;')],
    ['a Via port of 99999', withLine('Via', 'Via: SIP/2.0/UDP a:99999;branch=1')],
    ['a header line without a colon', message(...INVITE, 'Nonsense')],
  ])('%s', (_name, text) => {
    expect(problemOf(text)).toEqual(expect.any(String));
  });

  test('more than 64 KiB, and more headers than allowed', () => {
    const head = message(...INVITE);
    expect(problemOf(head + 'x'.repeat(MAX_MESSAGE_BYTES - head.length))).toBeNull();
    expect(problemOf(head + 'x'.repeat(MAX_MESSAGE_BYTES - head.length + 1))).toContain('65536');
    const extra = (count: number) => message(...INVITE, ...Array.from({ length: count }, (_, i) => `X-${i}: 1`));
    expect(problemOf(extra(MAX_HEADERS - INVITE.length + 1))).toBeNull();
    expect(problemOf(extra(MAX_HEADERS - INVITE.length + 2))).toContain('256');
    expect(problemOf(withLine('Contact', `Contact: ${Array(300).fill('<sip:a@b>').join(',')}`))).toContain('256');
  });
});
