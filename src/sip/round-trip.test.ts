import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { requestOf } from '../../test/support/sip-messages.ts';
import { EMPTY_BODY, type SipMessage } from './message.ts';
import type { NameAddr } from './name-addr.ts';
import type { Param, Params } from './params.ts';
import { parseMessage } from './parse.ts';
import { serializeMessage } from './serialize.ts';
import type { SipUri } from './uri.ts';
import type { Via } from './via.ts';

const from = (alphabet: string, minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength });
const TOKEN = "abcXYZ019-.!%*_+`'~";
const token = from(TOKEN, 1, 12);
const paramName = from(TOKEN.toLowerCase(), 1, 8);
const host = fc.oneof(
  fc.domain(),
  fc.ipV4(),
  fc.ipV6().map((address) => `[${address}]`),
);
const port = fc.option(fc.nat(65535));
const quoted = fc.string({ maxLength: 8 }).map((text) => `"${text.replace(/["\\\r\n]/g, '')}"`);

const paramsOf = (value: fc.Arbitrary<string>, name = paramName): fc.Arbitrary<Params> =>
  fc.array(fc.tuple(name, fc.option(value)) as fc.Arbitrary<Param>, { maxLength: 3 });

const uri: fc.Arbitrary<SipUri> = fc.record({
  scheme: fc.constantFrom('sip' as const, 'sips' as const),
  user: fc.option(from("aZ9-_.!~*'()&=+$,;?/:", 1, 12)),
  host,
  port,
  params: paramsOf(from('aZ09-/:', 1, 6), from("az9-_.!~*'()[]/:&+$", 1, 6)),
  headers: fc.option(from('aZ0=&', 1, 10)),
});

const display = fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.replace(/[\r\n]/g, ''));
const address: fc.Arbitrary<NameAddr> = fc.record({
  display: fc.option(display),
  uri,
  params: paramsOf(fc.oneof(token, quoted)),
});
const via: fc.Arbitrary<Via> = fc.record({
  transport: fc.constantFrom('UDP', 'TCP', 'TLS'),
  host,
  port,
  params: paramsOf(fc.oneof(token, quoted)),
});
const text = fc.string({ unit: 'grapheme', maxLength: 30 }).map((value) => value.replace(/[\p{Cc}]/gu, '').trim());
const header = fc.record({ name: token.map((name) => `X-${name}`), value: text });

const fields = fc.record({
  vias: fc.array(via, { minLength: 1, maxLength: 3 }) as unknown as fc.Arbitrary<[Via, ...Via[]]>,
  from: address,
  to: address,
  callId: from("aZ09@.-<>[]{}/?:()%!*_+`'~", 1, 40),
  maxForwards: fc.option(fc.nat(255)),
  contacts: fc.array(address, { maxLength: 2 }),
  routes: fc.array(address, { maxLength: 2 }),
  recordRoutes: fc.array(address, { maxLength: 2 }),
  headers: fc.array(header, { maxLength: 3 }),
  contentType: fc.option(fc.constant('application/sdp')),
  body: fc.uint8Array({ maxLength: 60 }),
});
const number = fc.nat(2 ** 31 - 1);
const request: fc.Arbitrary<SipMessage> = fc.tuple(fields, token, number, uri).map(([rest, method, seq, target]) => ({
  kind: 'request',
  method,
  uri: { ...target, headers: null },
  cseq: { number: seq, method },
  ...rest,
}));
const response: fc.Arbitrary<SipMessage> = fc
  .tuple(fields, token, number, fc.integer({ min: 100, max: 699 }), text)
  .map(([rest, method, seq, status, reason]) => ({
    kind: 'response',
    status,
    reason,
    cseq: { number: seq, method },
    ...rest,
  }));

/** An empty body parses to the shared empty one; both are equal octets. */
const normal = (message: SipMessage): SipMessage =>
  message.body.length === 0 ? { ...message, body: EMPTY_BODY } : { ...message, body: Uint8Array.from(message.body) };

describe('messages', () => {
  test('what is written is read back as it was', () => {
    fc.assert(
      fc.property(fc.oneof(request, response), (message) => {
        const result = parseMessage(serializeMessage(message));
        expect(result.ok ? normal(result.message) : result.problem).toEqual(normal(message));
      }),
      { numRuns: 500 },
    );
  });

  test('no text, wherever it stands, can end its line or its header', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      from('ab\r\n\0 "\\<>;,:@%\u2028\ud800', 1, 20),
      fc.constant('x\r\nEvil: 1\r\n\r\n'),
    );
    const evil = hostile.map((value) => ({
      ...requestOf('INVITE'),
      uri: {
        scheme: 'sip' as const,
        user: value,
        host: value,
        port: 1,
        params: [[value, value]] as Params,
        headers: value,
      },
      from: { display: value, uri: { scheme: 'tel', rest: value }, params: [[value, value]] as Params },
      callId: value,
      contentType: value,
      headers: [{ name: value, value }],
    }));
    const namesIn = (octets: Uint8Array): string[] =>
      new TextDecoder()
        .decode(octets)
        .split('\r\n')
        .slice(1, -2)
        .map((line) => line.split(':', 1)[0] as string);
    fc.assert(
      fc.property(evil, (message) => {
        const octets = serializeMessage(message as SipMessage);
        const wanted = ['Via', 'Max-Forwards', 'From', 'To', 'Call-ID', 'CSeq', 'Contact'];
        const names = namesIn(octets);
        expect(names.slice(0, 7)).toEqual(wanted);
        expect(names.slice(8)).toEqual(['Content-Type', 'Content-Length']);
        expect(new TextDecoder().decode(octets).replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
      }),
      { numRuns: 500 },
    );
  });
});

describe('any octets', () => {
  const base = serializeMessage({ ...requestOf('INVITE'), body: new TextEncoder().encode('v=0\r\n') });
  const mutated = fc
    .array(fc.tuple(fc.nat(base.length - 1), fc.nat(255)), { minLength: 1, maxLength: 12 })
    .map((edits) => {
      const octets = base.slice();
      for (const [at, value] of edits) octets[at] = value;
      return octets;
    });

  test('never throw, and what is understood can be written and understood again', () => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 400 }), mutated), (octets) => {
        const result = parseMessage(octets);
        if (!result.ok) {
          expect(result.problem).not.toBe('');
          return;
        }
        const again = parseMessage(serializeMessage(result.message));
        expect(again.ok ? normal(again.message) : again.problem).toEqual(normal(result.message));
      }),
      { numRuns: 2_000 },
    );
  });
});
