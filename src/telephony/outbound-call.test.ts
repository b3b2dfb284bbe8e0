import { describe, expect, test } from 'vitest';
import { methodsOf } from '../../test/support/sip-messages.ts';
import { createTelephonyBench, PEER } from '../../test/support/telephony-bench.ts';
import { NO_RTP } from '../domain/call.ts';
import { parseMessage } from '../sip/parse.ts';

describe('a call that is answered', () => {
  test('plays everything with the ACK, then hangs up', async () => {
    const bench = createTelephonyBench({ script: { ringAfterMs: 100, answerAfterMs: 2_000 } });
    const placed = bench.place({ frames: [50, 100] });
    const result = await bench.finish(placed);
    expect(result).toEqual({
      outcome: 'completed',
      sipStatus: 200,
      sipReason: 'OK',
      codec: 'PCMU',
      framesSent: [50, 100],
      rtp: { ...NO_RTP, packetsSent: 150, packetsRefused: 0, peerRefusals: 0, latenessMs: { p50: 0, p99: 0 } },
      digits: [],
      hungUpAt: null,
      wasAnswered: true,
    });
    expect(placed.progress).toMatchObject([{ kind: 'ringing' }, { kind: 'answered', codec: 'PCMU' }]);
    expect(methodsOf(bench.peer.received)).toEqual(['INVITE', 'ACK', 'BYE']);
    const ack = bench.traffic.find((entry) => entry.text.startsWith('ACK'));
    const play = bench.media.events.find((event) => event.kind === 'play');
    expect(play).toEqual({ atMs: ack?.atMs, kind: 'play', to: { address: PEER.address, port: 40_000 } });
    const bye = bench.traffic.find((entry) => entry.text.startsWith('BYE'));
    expect(bye?.atMs).toBe((play?.atMs ?? 0) + 150 * 20);
    bench.expectRest();
  });

  test('the INVITE has the names that were committed, and an offer in the order of the codecs', async () => {
    const bench = createTelephonyBench({ script: { refuse: { status: 486, afterMs: 0 } } });
    await bench.finish(bench.place({ codecs: ['PCMA', 'PCMU'], callerId: '+15550001111' }));
    const invite = bench.peer.received[0];
    expect(invite?.callId).toBe('call-1');
    expect(invite?.from.params).toEqual([['tag', 'from-1']]);
    expect(invite?.vias[0].params.find(([name]) => name === 'branch')).toEqual(['branch', 'z9hG4bK-invite-1']);
    expect(new TextDecoder().decode(invite?.body)).toContain('RTP/AVP 8 0 101\r\n');
    expect(bench.traffic[0]?.text).toContain('From: "+15550001111" <sip:+15550001111@10.0.0.1>;tag=from-1\r\n');
  });

  test('without a caller id it is anonymous as RFC 3323 says', async () => {
    const bench = createTelephonyBench({ script: { refuse: { status: 486, afterMs: 0 } } });
    await bench.finish(bench.place({ callerId: null }));
    expect(bench.traffic[0]?.text).toContain('From: "Anonymous" <sip:anonymous@anonymous.invalid>;tag=from-1\r\n');
  });

  test('a hostile caller id stays in its place', async () => {
    const bench = createTelephonyBench({ script: { refuse: { status: 486, afterMs: 0 } } });
    await bench.finish(bench.place({ callerId: 'x"\r\nEvil: 1\r\n\r\n<sip:a@b>' }));
    const parsed = parseMessage(new TextEncoder().encode(bench.traffic[0]?.text));
    expect(parsed.ok && parsed.message.headers.map((header) => header.name)).toEqual([
      'Allow',
      'Supported',
      'Session-Expires',
      'User-Agent',
    ]);
    expect(bench.peer.received[0]?.from.display).toBe('x"  Evil: 1    <sip:a@b>');
  });

  test('To names who is called, the Request-URI how: neither has what RFC 3261 19.1.1 forbids there', async () => {
    const bench = createTelephonyBench({ script: { answerAfterMs: 0 } });
    const destination = `sip:a%20b;x=1@${PEER.address}:${PEER.port};transport=udp;method=BYE;user=phone`;
    expect((await bench.finish(bench.place({ destination }))).outcome).toBe('completed');
    const invite = bench.traffic[0]?.text;
    expect(invite).toContain('INVITE sip:a%20b;x=1@10.0.0.2:5070;transport=udp;user=phone SIP/2.0\r\n');
    expect(invite).toContain('\r\nTo: <sip:a%20b;x=1@10.0.0.2:5070;user=phone>\r\n');
  });

  test('a number goes to its trunk', async () => {
    const bench = createTelephonyBench({ script: { answerAfterMs: 0 } });
    const trunk = { id: 't1', host: PEER.address, port: PEER.port, transport: 'udp' as const, credentials: null };
    expect((await bench.finish(bench.place({ destination: '+15551230000', trunk }))).outcome).toBe('completed');
    expect(bench.traffic[0]?.text).toMatch(/^INVITE sip:\+15551230000@10\.0\.0\.2:5070;user=phone SIP\/2\.0\r\n/);
  });
});

describe('a call that is not answered', () => {
  test.each([
    [486, 'busy'],
    [600, 'busy'],
    [480, 'no_answer'],
    [603, 'rejected'],
    [404, 'unreachable'],
    [302, 'unreachable'],
    [503, 'unreachable'],
    [488, 'failed'],
  ] as const)('%i is %s, and its refusal is acknowledged', async (status, outcome) => {
    const bench = createTelephonyBench({ script: { ringAfterMs: 10, refuse: { status, afterMs: 500 } } });
    const result = await bench.finish(bench.place());
    expect(result).toMatchObject({ outcome, sipStatus: status, codec: null, framesSent: [50].map(() => 0) });
    expect(methodsOf(bench.peer.received)).toEqual(['INVITE', 'ACK']);
    bench.expectRest();
  });

  test('the ring time-out is counted from the INVITE and ends in CANCEL', async () => {
    const bench = createTelephonyBench({ script: { ringAfterMs: 3_000 } });
    const result = await bench.finish(bench.place({ ringTimeoutMs: 10_000 }));
    expect(result).toMatchObject({ outcome: 'no_answer', sipStatus: 487 });
    expect(bench.peer.calls[0]?.state).toBe('cancelled');
    expect(bench.traffic.find((entry) => entry.text.startsWith('CANCEL'))?.atMs).toBe(10_000);
    bench.expectRest();
  });

  test('100 Trying alone is not ringing', async () => {
    const bench = createTelephonyBench({ script: { tryingAfterMs: 0 } });
    const placed = bench.place({ ringTimeoutMs: 5_000 });
    expect((await bench.finish(placed)).outcome).toBe('no_answer');
    expect(placed.progress).toEqual([]);
  });

  test('no SIP answer at all is unreachable when timer B fires', async () => {
    const bench = createTelephonyBench({ script: {} });
    const placed = bench.place({ ringTimeoutMs: 60_000 });
    expect(await bench.finish(placed)).toMatchObject({ outcome: 'unreachable', sipStatus: null });
    expect(placed.endedAtMs()).toBe(32_000);
    expect(bench.traffic.filter((entry) => entry.text.startsWith('INVITE'))).toHaveLength(7);
    bench.expectRest();
  });

  test('unreachable wins over a ring time-out before timer B', async () => {
    const bench = createTelephonyBench({ script: {} });
    expect((await bench.finish(bench.place({ ringTimeoutMs: 5_000 }))).outcome).toBe('unreachable');
    expect(bench.traffic.some((entry) => entry.text.startsWith('CANCEL'))).toBe(false);
  });

  test('a 487 that never comes is given up after 64*T1', async () => {
    const bench = createTelephonyBench({ script: { ringAfterMs: 0, isDeafToCancel: true } });
    const placed = bench.place({ ringTimeoutMs: 10_000 });
    expect((await bench.finish(placed)).outcome).toBe('no_answer');
    expect(placed.endedAtMs()).toBe(10_000 + 32_000);
  });

  test('a transport that cannot send is unreachable', async () => {
    const bench = createTelephonyBench({ script: {}, sendProblem: 'no buffer space' });
    expect((await bench.finish(bench.place())).outcome).toBe('unreachable');
    bench.expectRest();
  });

  test.each([
    ['sips:bob@10.0.0.2;transport=udp', /another SIP transport/],
    ['sip:bob@10.0.0.2;transport=ws', /another SIP transport/],
    ['+15551230000', /trunk/],
    ['bob', /neither/],
  ])('%s cannot be carried: failed, in words, and nothing is sent', async (destination, words) => {
    const bench = createTelephonyBench({ script: {} });
    const result = await bench.finish(bench.place({ destination, trunk: null }));
    expect(result).toMatchObject({ outcome: 'failed', sipReason: expect.stringMatching(words) });
    expect(bench.traffic).toEqual([]);
    expect(bench.media.open).toBe(0);
  });

  test('a host name without an address is unreachable', async () => {
    const bench = createTelephonyBench({ script: {} });
    const result = await bench.finish(bench.place({ destination: 'sip:bob@nowhere.test' }));
    expect(result).toMatchObject({ outcome: 'unreachable', sipReason: expect.stringContaining('nowhere.test') });
  });

  test('no free RTP port is failed, in words', async () => {
    const bench = createTelephonyBench({ script: {} });
    bench.media.failNext('No RTP port is free.');
    expect(await bench.finish(bench.place())).toMatchObject({ outcome: 'failed', sipReason: 'No RTP port is free.' });
  });
});

describe('closing the user agent', () => {
  test('says good-bye to every call and ends it as interrupted', async () => {
    const bench = createTelephonyBench({ script: { ringAfterMs: 0, answerAfterMs: 2_000 } });
    const talking = bench.place({ frames: [500] });
    await bench.clock.advance(3_000);
    const ringing = bench.place({ frames: [500] });
    await bench.clock.advance(1_000);
    const waiting = bench.place({ frames: [500] });
    await bench.agent.close();
    const results = await Promise.all([talking, ringing, waiting].map((placed) => placed.call.result));
    expect(results.map((result) => result.outcome)).toEqual(['interrupted', 'interrupted', 'interrupted']);
    const farewells = bench.traffic.filter((entry) => entry.from === 'ua' && /^(BYE|CANCEL)/.test(entry.text));
    expect(farewells.map((entry) => entry.text.slice(0, 3))).toEqual(['BYE', 'CAN']);
    expect(bench.media.open).toBe(0);
    expect(bench.agent.counts()).toEqual({ calls: 0, dialogs: 0, transactions: 0 });
  });
});
