import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDestination } from './destination.ts';
import { isBlank, isId, isMediaId } from './id.ts';

describe('destinations', () => {
  it.each(['+15551230000', '+44'])('%s is a number', (text) => {
    expect(parseDestination(text)).toEqual({ kind: 'number', number: text });
  });

  it.each([
    'sip:bob@192.0.2.7:5070',
    'sip:192.0.2.7',
    'sips:alice@example.org',
    'sip:+1555@[2001:db8::1]:5060;transport=udp',
    'sip:carol%20x@host-1.example',
  ])('%s is a SIP URI', (text) => {
    expect(parseDestination(text)).toEqual({ kind: 'sip', uri: text });
  });

  it.each([
    '',
    '15551230000',
    '+0123',
    '+1234567890123456',
    'tel:+1555',
    'sip:',
    'sip:bob@',
    'sip:bob@h\r\nVia: x',
    'sip:b@h?Subject=x',
    'sip:b<c@h',
    'sip:b@h:0',
    'sip:b@h:65536',
    `sip:${'a'.repeat(260)}@h`,
  ])('%j is neither', (text) => {
    expect(parseDestination(text)).toBeNull();
  });

  it('never lets white space, angle brackets, quotes or control characters through', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        if (parseDestination(text) !== null) expect(text).not.toMatch(/[\s<>"\p{Cc}]/u);
        if (parseDestination(`sip:${text}@h`) !== null) expect(text).not.toMatch(/[\s<>"\p{Cc}]/u);
      }),
    );
  });
});

describe('ids', () => {
  it('a media id has no hyphen, any other id may', () => {
    expect([isId('a-b'), isMediaId('a-b'), isMediaId('a.b_C9')]).toEqual([true, false, true]);
    expect([isId(''), isId('x'.repeat(64)), isId('x'.repeat(65)), isId('ü')]).toEqual([false, true, false, false]);
  });

  it('blank is empty or white space only', () => {
    expect([undefined, '', ' ', '\t\n', '\u00a0'].every((text) => isBlank(text))).toBe(true);
    expect(isBlank(' x ')).toBe(false);
  });
});
