import { describe, expect, test } from 'vitest';
import { answerAddress, parseVia, stampVia, type Via } from './via.ts';

const via = (text: string): Via => {
  const parsed = parseVia(text);
  if (!parsed) throw new Error(text);
  return parsed;
};
const FROM = { address: '198.51.100.7', port: 40_000 };

describe('where answers go (RFC 3261 18.2, RFC 3581)', () => {
  test('received is noted if the source differs; rport if it was asked for', () => {
    expect(stampVia(via('SIP/2.0/UDP h;branch=1'), FROM).params).toEqual([
      ['branch', '1'],
      ['received', '198.51.100.7'],
    ]);
    expect(stampVia(via('SIP/2.0/UDP 198.51.100.7;branch=1'), FROM).params).toEqual([['branch', '1']]);
    expect(stampVia(via('SIP/2.0/UDP 198.51.100.7;rport;branch=1'), FROM).params).toEqual([
      ['rport', '40000'],
      ['branch', '1'],
      ['received', '198.51.100.7'],
    ]);
  });

  test.each([
    ['SIP/2.0/UDP h;rport', 40_000],
    ['SIP/2.0/UDP h:5099', 5_099],
    ['SIP/2.0/UDP h', 5_060],
    ['SIP/2.0/UDP h:5099;maddr=203.0.113.9;received=203.0.113.9', 5_099],
  ])('%s: to the source address, port %i', (text, port) => {
    expect(answerAddress(via(text), FROM)).toEqual({ address: FROM.address, port });
  });
});
