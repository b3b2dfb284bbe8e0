import { describe, expect, it } from 'vitest';
import type { SipMessage } from './api-shapes.ts';
import { drawLadder } from './ladder.ts';

const SDP = 'v=0\r\nm=audio 16384 RTP/AVP 0 9 101\r\na=rtpmap:101 telephone-event/8000\r\n';
const message = (atMs: number, direction: SipMessage['direction'], startLine: string, cseq: string, more = '') => ({
  attempt: 1,
  direction,
  transport: 'udp',
  local: '192.0.2.1:5060',
  remote: '192.0.2.7:5060',
  at: new Date(Date.UTC(2026, 10, 21) + atMs).toISOString(),
  text: `${startLine}\r\nCSeq: ${cseq}\r\n\r\n${more}`,
});

const CALL: readonly SipMessage[] = [
  message(0, 'sent', 'INVITE sip:b@c SIP/2.0', '1 INVITE', SDP),
  message(3, 'received', 'SIP/2.0 100 Trying', '1 INVITE'),
  message(2503, 'received', 'SIP/2.0 200 OK', '1 INVITE', `${SDP}a=sendonly\r\n`),
  message(2504, 'sent', 'ACK sip:b@c SIP/2.0', '1 ACK'),
];

describe('a ladder', () => {
  it('is drawn in ASCII', () => {
    expect(drawLadder(CALL, { width: 80, isUnicode: false })).toEqual([
      '              192.0.2.1:5060                               192.0.2.7:5060 udp',
      '    +0 ms            |---------------- INVITE (1) ----------------->|',
      '                     |    audio 16384 PCMU G722 telephone-event     |',
      '    +3 ms            |<---------- 100 Trying (1 INVITE) ------------|',
      '   +2.5 s            |<------------ 200 OK (1 INVITE) --------------|',
      '                     | audio 16384 PCMU G722 telephone-event, ...   |',
      '    +1 ms            |------------------ ACK (1) ------------------>|',
    ]);
  });

  it('is drawn with lines where the terminal has them, and never wider than it', () => {
    const lines = drawLadder(CALL, { width: 60, isUnicode: true });
    expect(lines[1]).toBe('    +0 ms            │────── INVITE (1) ───────>│');
    expect(lines[2]).toBe('                     │ audio 16384 PCMU G722…   │');
    for (const line of lines) expect([...line].length).toBeLessThanOrEqual(60);
  });

  it('has a column for each peer', () => {
    const [first, ...rest] = CALL;
    const elsewhere = rest.map((item) => ({ ...item, remote: '[2001:db8::7]:5061', transport: 'tls' }));
    const lines = drawLadder(first ? [first, ...elsewhere] : [], { width: 120, isUnicode: false });
    expect(lines[0]).toMatch(/192\.0\.2\.1:5060 +192\.0\.2\.7:5060 udp +\[2001:db8::7\]:5061 tls/);
    expect(lines[1]).toMatch(/\|-+ INVITE \(1\) -+>\| +\|$/);
    expect(lines[3]).toMatch(/\|<-+ 100 Trying \(1 INVITE\) -+\|$/);
  });

  it('shows no control characters, and copes with what is no message', () => {
    const odd = [
      message(0, 'received', 'SIP/2.0 200 \u001b[31m\u202eOK', 'x'),
      { ...message(0, 'sent', '', ''), text: '' },
    ];
    const text = drawLadder(odd, { width: 100, isUnicode: false }).join('\n');
    expect(text).toContain('200 \\u001b[31m\\u202eOK (? ?)');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\u202e]/);
  });
});
