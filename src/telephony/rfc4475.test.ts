import { describe, expect, test } from 'vitest';
import { answerOfAgent, parsedTorture, statusOf, tortureNames, tortureOctets } from '../../test/support/torture.ts';
import { findHeader, type SipRequest, type SipResponse } from '../sip/message.ts';
import { parseMessage } from '../sip/parse.ts';

/**
 * The torture messages of RFC 4475: what the parser makes of each, what a running user agent answers a peer that sends
 * it (null: nothing), and the verdict of the RFC that this is.
 */
type Row = readonly [name: string, parsed: 'request' | 'response' | 'refused', answer: number | null, verdict: string];

const ROWS: readonly Row[] = [
  ['wsinv', 'request', 481, '3.1.1.1 well-formed; its To has a tag, and it belongs to no dialog of ours'],
  ['intmeth', 'request', 501, '3.1.1.2 endpoints answer 501 with the methods they understand in Allow'],
  ['esc01', 'request', 480, '3.1.1.3 must be accepted as well-formed'],
  ['escnull', 'request', 405, '3.1.1.4 must be accepted as well-formed; we are no registrar'],
  ['esc02', 'request', 501, '3.1.1.5 an endpoint rejects it with 501'],
  ['lwsdisp', 'request', 200, '3.1.1.6 should be accepted as well-formed'],
  ['longreq', 'request', 480, '3.1.1.7 well-formed'],
  ['dblreq', 'request', 405, '3.1.1.8 a REGISTER; the octets after it are ignored'],
  ['semiuri', 'request', 200, '3.1.1.9 accepted as well-formed'],
  ['transports', 'request', 200, '3.1.1.10 must be accepted as well-formed'],
  ['mpart01', 'request', 405, '3.1.1.11 must be accepted as well-formed; we take no MESSAGE'],
  ['unreason', 'response', null, '3.1.1.12 must be accepted; it answers nothing of ours'],
  ['noreason', 'response', null, '3.1.1.13 must be accepted; it answers nothing of ours'],
  ['badinv01', 'refused', 400, '3.1.2.1 should be answered 400'],
  ['clerr', 'refused', 400, '3.1.2.2 over UDP should be answered 400'],
  ['ncl', 'refused', 400, '3.1.2.3 should be answered with an error'],
  ['scalar02', 'refused', 400, '3.1.2.4 should be answered 400 due to the CSeq'],
  ['scalarlg', 'refused', null, '3.1.2.5 simply discarded'],
  ['quotbal', 'refused', 400, '3.1.2.6 should be answered 400'],
  ['ltgtruri', 'refused', 400, '3.1.2.7 reasonable always to reject with 400'],
  ['lwsruri', 'refused', 400, '3.1.2.8 should be answered 400'],
  ['lwsstart', 'refused', 400, '3.1.2.9 acceptable to reject as malformed'],
  ['trws', 'refused', 400, '3.1.2.10 acceptable to reject as malformed'],
  ['escruri', 'refused', 400, '3.1.2.11 acceptable to reject with 400'],
  ['baddate', 'request', 480, '3.1.2.12 should not be rejected where the Date is of no importance'],
  ['regbadct', 'refused', 400, '3.1.2.13 reasonable to answer 400'],
  ['badaspec', 'refused', 400, '3.1.2.14 reasonable to reject with 400'],
  ['baddn', 'refused', 400, '3.1.2.15 reasonable always to reject with 400'],
  ['badvers', 'refused', 505, '3.1.2.16 should be answered 505'],
  ['mismatch01', 'refused', 400, '3.1.2.17 will be answered 400'],
  ['mismatch02', 'refused', 501, '3.1.2.18 should be answered 501'],
  ['bigcode', 'refused', null, '3.1.2.19 should simply be dropped'],
  ['badbranch', 'request', 200, '3.2.1 must not break; could fall back to the identifiers of RFC 2543'],
  ['insuf', 'refused', 400, '3.3.1 must not break; ideally answered 400'],
  ['unkscm', 'request', 416, '3.3.2 well-formed; rejected with 416'],
  ['novelsc', 'request', 416, '3.3.3 well-formed; 416 where the scheme is never accepted'],
  ['unksm2', 'request', 405, '3.3.4 syntactically valid; parsers must not fail; we are no registrar'],
  ['bext01', 'request', 420, '3.3.5 will be answered 420 with the options of Require in Unsupported'],
  ['invut', 'request', 415, '3.3.6 an endpoint rejects it with 415'],
  ['regaut01', 'request', 405, '3.3.7 well-formed; endpoints that are no registrars reject it, 405 is appropriate'],
  ['multi01', 'refused', 400, '3.3.8 must not break; would be answered 400'],
  ['mcl01', 'refused', 400, '3.3.9 should be answered with an error'],
  ['bcast', 'response', null, '3.3.10 well-formed; an endpoint simply discards it'],
  ['zeromf', 'request', 200, '3.3.11 an endpoint processes it as if Max-Forwards were positive'],
  ['cparam01', 'request', 405, '3.3.12 well-formed; we are no registrar'],
  ['cparam02', 'request', 405, '3.3.13 well-formed; we are no registrar'],
  ['regescrt', 'request', 405, '3.3.14 well-formed; we are no registrar'],
  ['sdp01', 'request', 406, '3.3.15 could be answered 406'],
  ['inv2543', 'request', 480, '3.4.1 should be accepted for the sake of RFC 2543'],
];

const octetsOf = (name: string): Uint8Array => tortureOctets('rfc4475', name);
const request = (name: string): SipRequest => parsedTorture(octetsOf(name)) as SipRequest;
const response = (name: string): SipResponse => parsedTorture(octetsOf(name)) as SipResponse;

test('none of the 49 messages is left out', () => {
  expect(ROWS).toHaveLength(49);
  expect(ROWS.map(([name]) => name).sort()).toEqual(tortureNames('rfc4475').sort());
});

test.each(ROWS)('%s: %s, answered %s (%s)', async (name, parsed, answer) => {
  const result = parseMessage(octetsOf(name));
  expect(result.ok ? result.message.kind : 'refused').toBe(parsed);
  expect(statusOf(await answerOfAgent(octetsOf(name)))).toBe(answer);
});

describe('what the answers say', () => {
  test.each([
    ['intmeth', 'Allow: INVITE, ACK, CANCEL, BYE, OPTIONS, INFO'],
    ['bext01', 'Unsupported: nothingSupportsThis, nothingSupportsThisEither'],
    ['invut', 'Accept: application/sdp'],
    ['scalar02', 'SIP/2.0 400 CSeq is malformed'],
    ['multi01', 'SIP/2.0 400 CSeq appears twice'],
    ['insuf', 'SIP/2.0 400 From is missing'],
    ['quotbal', 'To: "Mr. J. User <sip:j.user@example.com>;tag='],
    ['badvers', 'Via: SIP/7.0/UDP c.example.com;branch=z9hG4bKkdjuw'],
    ['badinv01', 'Via: SIP/2.0/UDP 192.0.2.15;;,;,,'],
  ])('%s: %s', async (name, line) => {
    expect(await answerOfAgent(octetsOf(name))).toContain(line);
  });

  test('baddn is refused for its display name too, not only for the empty line that its archive lacks', async () => {
    const whole = new TextEncoder().encode(`${new TextDecoder().decode(octetsOf('baddn'))}\r\n`);
    expect(parseMessage(whole)).toEqual({ ok: false, problem: 'From is malformed' });
    expect(statusOf(await answerOfAgent(whole))).toBe(400);
  });
});

describe('what is understood of the well-formed ones', () => {
  test('wsinv: folding, white space, mixed forms, leading zeros', () => {
    const message = request('wsinv');
    expect(message).toMatchObject({
      uri: { user: 'vivekg', host: 'chair-dnrc.example.com', params: [['unknownparam', null]] },
      to: { params: [['tag', '1918181833n']] },
      from: { display: 'J Rosenberg \\"', params: [['tag', '98asjd8']] },
      maxForwards: 68,
      cseq: { number: 9, method: 'INVITE' },
      contacts: [
        {
          display: 'Quoted string ""',
          params: [
            ['newparam', 'newvalue'],
            ['secondparam', null],
            ['q', '0.33'],
          ],
        },
      ],
    });
    expect(message.vias.map(({ transport, host, params }) => [transport, host, params[0]])).toEqual([
      ['UDP', '192.0.2.2', ['branch', '390skdjuw']],
      ['TCP', 'spindle.example.com', ['branch', 'z9hG4bK9ikj8']],
      ['UDP', '192.168.255.111', ['branch', 'z9hG4bK30239']],
    ]);
    expect(findHeader(message, 'Subject')).toBe('');
    expect(findHeader(message, 'NewFangledHeader')).toBe('newfangled value continued newfangled value');
    expect(findHeader(message, 'UnknownHeaderWithUnusualValue')).toBe(';;,,;;,;');
    expect(message.body).toHaveLength(150);
  });

  test('intmeth: every character that the grammar allows', () => {
    const message = request('intmeth');
    expect(message.method).toBe("!interesting-Method0123456789_*+`.%indeed'~");
    expect(message.uri).toMatchObject({
      user: "1_unusual.URI~(to-be!sure)&isn't+it$/crazy?,/;;*:&it+has=1,weird!*pas$wo~d_too.(doesn't-it)",
    });
    expect(message.to.display).toBe('BEL:\u0007 NUL:\u0000 DEL:\u007f');
    expect(message.from.display).toBe("token1~` token2'+_ token3*%!.-");
    expect(message.from.params).toEqual([
      ["fromparam''~+*_!.-%", '"работающий"'],
      ['tag', "_token~1'+`*%!-."],
    ]);
    expect(message.callId).toBe('intmeth.word%ZK-!.*_+\'@word`~)(><:\\/"][?}{');
    expect(findHeader(message, "extensionHeader-!.%*+_`'~")).toBe('\ufeff大停電');
  });

  test('escapes stay as they are on the wire', () => {
    expect(request('esc01').uri).toMatchObject({ user: 'sips%3Auser%40example.com', host: 'example.net' });
    expect(request('esc01').contacts[0]?.uri).toMatchObject({
      params: [
        ['%6c%72', null],
        ['n%61me', 'v%61lue%25%34%31'],
      ],
    });
    expect(request('escnull').contacts.map(({ uri }) => uri)).toMatchObject([{ user: '%00' }, { user: '%00%00' }]);
    expect(request('esc02').contacts).toHaveLength(2);
    expect(request('esc02').to.display).toBe('%Z%45');
    expect(request('semiuri').uri).toMatchObject({ user: 'user;par=u%40example.net', host: 'example.com' });
    expect(request('regescrt').contacts[0]?.uri).toMatchObject({ headers: 'Route=%3Csip:sip.example.com%3E' });
  });

  test('long values, many Vias, binary bodies, other transports', () => {
    expect(request('longreq').vias).toHaveLength(34);
    expect(request('longreq').from.params[0]?.[1]).toBe(`12${'982'.repeat(50)}424`);
    expect(request('mpart01').body).toHaveLength(553);
    expect(request('mpart01').body).toContain(0);
    expect(request('transports').vias.map((via) => via.transport)).toEqual(['UDP', 'SCTP', 'TLS', 'UNKNOWN', 'TCP']);
    expect(request('dblreq').body).toHaveLength(0);
  });

  test('parameters of a Contact are the URI’s inside the brackets and the header’s outside', () => {
    expect(request('cparam01').contacts[0]).toMatchObject({ params: [['unknownparam', null]], uri: { params: [] } });
    expect(request('cparam02').contacts[0]).toMatchObject({ params: [], uri: { params: [['unknownparam', null]] } });
  });

  test('reason phrases', () => {
    expect(response('unreason').reason).toBe('= 2**3 * 5**2 но сто девяносто девять - простое');
    expect(response('noreason')).toMatchObject({ status: 100, reason: '' });
    expect(response('bcast').vias[1]?.host).toBe('255.255.255.255');
  });

  test('inv2543: no branch, no From-tag, no Content-Length, no Max-Forwards', () => {
    expect(request('inv2543')).toMatchObject({ maxForwards: null, from: { params: [] }, vias: [{ params: [] }] });
    expect(new TextDecoder().decode(request('inv2543').body)).toMatch(/^v=0\r\n[\s\S]*RTP\/AVP 0\r\n$/);
  });
});
