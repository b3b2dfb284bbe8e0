import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDtmfInfo } from './dtmf-info.ts';

const read = (type: string, body: string) => readDtmfInfo(type, new TextEncoder().encode(body));

describe('digits in SIP INFO', () => {
  it.each([
    ['application/dtmf-relay', 'Signal=5\r\nDuration=160\r\n', { digit: '5', durationMs: 160 }],
    ['application/dtmf-relay', 'Signal= *\r\nDuration= 250', { digit: '*', durationMs: 250 }],
    ['Application/DTMF-Relay; charset=utf-8', 'signal=#\n', { digit: '#', durationMs: null }],
    ['application/dtmf-relay', 'Signal=11\r\nDuration=999999', { digit: '#', durationMs: 60_000 }],
    ['application/dtmf-relay', 'Duration=100\r\nSignal=d\r\n', { digit: 'D', durationMs: 100 }],
    ['application/dtmf', '7', { digit: '7', durationMs: null }],
    ['application/dtmf', ' 10\r\n', { digit: '*', durationMs: null }],
  ])('%s %j', (type, body, expected) => {
    expect(read(type, body)).toEqual(expected);
  });

  it.each([
    ['application/dtmf-relay', 'Signal=17'],
    ['application/dtmf-relay', 'Signal=E'],
    ['application/dtmf-relay', 'Duration=160'],
    ['application/dtmf-relay', 'XSignal=5'],
    ['application/dtmf', ''],
    ['application/dtmf', '12 3'],
    ['application/dtmf', `5${' '.repeat(2_000)}`],
    ['text/plain', '5'],
    ['', '5'],
  ])('%s %j is none', (type, body) => {
    expect(read(type, body)).toBeNull();
  });

  it('any octets are read without an exception', () => {
    const types = fc.constantFrom('application/dtmf', 'application/dtmf-relay');
    fc.assert(
      fc.property(types, fc.uint8Array({ maxLength: 100 }), (type, body) => {
        const found = readDtmfInfo(type, body);
        expect(found === null || /^[0-9*#A-D]$/.test(found.digit)).toBe(true);
      }),
    );
  });
});
