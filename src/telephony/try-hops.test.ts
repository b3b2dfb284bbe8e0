import { describe, expect, test } from 'vitest';
import { CREDENTIALS, createDigestGate } from '../../test/support/digest-gate.ts';
import type { PeerScript } from '../../test/support/peer-script.ts';
import { methodsOf } from '../../test/support/sip-messages.ts';
import type { SipPeer } from '../../test/support/sip-peer.ts';
import { createTelephonyBench, PEER, type TelephonyBench } from '../../test/support/telephony-bench.ts';
import { tagOf } from '../sip/name-addr.ts';
import { branchOf } from '../sip/via.ts';
import { HOP_REST_MS } from './hop-memory.ts';
import { HOP_PATIENCE_MS } from './try-hops.ts';

const FIRST = '10.0.0.9';
const ANSWERS: PeerScript = { ringAfterMs: 100, answerAfterMs: 1_000 };
const TRUNK = { id: 't1', host: 'trunk.test', port: PEER.port, transport: 'udp', credentials: CREDENTIALS } as const;
const NUMBER = '+15551230000';

/** A trunk of two addresses: `FIRST`, which does as `first` says or is not there, then the peer. */
const benchWith = (first: PeerScript | null, script: PeerScript = ANSWERS): TelephonyBench =>
  createTelephonyBench({
    script,
    zone: { 'trunk.test': [FIRST, PEER.address] },
    others: first === null ? {} : { [FIRST]: first },
  });

const ring = (bench: TelephonyBench, ringTimeoutMs = 45_000) =>
  bench.place({ destination: NUMBER, trunk: TRUNK, ringTimeoutMs });
const invitesOf = ({ received }: SipPeer) => received.filter(({ method }) => method === 'INVITE');

describe('the next hop is tried', () => {
  test('when the first does not answer: 5 s, a new branch, everything else as it was', async () => {
    const bench = benchWith(null);
    const result = await bench.finish(ring(bench));
    expect(result).toMatchObject({ outcome: 'completed', sipStatus: 200 });
    const sent = bench.traffic.filter(({ from, text }) => from === 'ua' && text.startsWith('INVITE'));
    // The first hop's, repeated by timer A, then the second's. Nothing more is sent to the first.
    expect(sent.map(({ atMs }) => atMs)).toEqual([0, 500, 1_500, 3_500, HOP_PATIENCE_MS]);
    const [invite] = invitesOf(bench.peer);
    expect(invite && [invite.callId, tagOf(invite.from), invite.cseq.number, branchOf(invite.vias[0])]).toEqual([
      'call-1',
      'from-1',
      1,
      'z9hG4bK-invite-1.1',
    ]);
    bench.expectRest();
  });

  test('at once on 503', async () => {
    const bench = benchWith({ refuse: { status: 503, afterMs: 0 } });
    expect(await bench.finish(ring(bench))).toMatchObject({ outcome: 'completed' });
    expect(methodsOf(bench.other(FIRST).received)).toEqual(['INVITE', 'ACK']);
    expect(invitesOf(bench.peer)).toHaveLength(1);
    expect(bench.signs).toEqual(['t1 alive', 't1 alive']);
    bench.expectRest();
  });

  test('with credentials of its own nonce count, where it asks for them', async () => {
    const bench = benchWith(null, { ...ANSWERS, gate: createDigestGate() });
    expect(await bench.finish(ring(bench))).toMatchObject({ outcome: 'completed' });
    expect(invitesOf(bench.peer).map(({ cseq }) => cseq.number)).toEqual([1, 2]);
    expect(await bench.finish(ring(bench))).toMatchObject({ outcome: 'completed' });
    expect(bench.logins).toEqual(['t1 accepted', 't1 accepted']);
    bench.expectRest();
  });

  test('first by the calls that follow, for a minute', async () => {
    const bench = benchWith(null);
    const sentTo = (start: number): number[] =>
      bench.traffic.filter(({ text }) => text.startsWith('INVITE')).flatMap(({ atMs }) => (atMs < start ? [] : [atMs]));
    ring(bench);
    await bench.clock.advance(HOP_PATIENCE_MS + HOP_REST_MS - 1);
    ring(bench);
    const start = bench.clock.nowMs;
    await bench.clock.advance(1);
    expect(sentTo(start)).toEqual([start]);
    ring(bench);
    await bench.clock.advance(3_000);
    expect(sentTo(start + 1)).toEqual([start + 1, start + 501, start + 1_501]);
    await bench.clock.runOut();
    expect(invitesOf(bench.peer)).toHaveLength(3);
  });
});

describe('no further hop is tried', () => {
  test.each([
    ['after a provisional answer', { tryingAfterMs: 0, refuse: { status: 503, afterMs: 100 } }, 503],
    ['after another refusal', { refuse: { status: 500, afterMs: 0 } }, 500],
    ['after a busy', { refuse: { status: 486, afterMs: 0 } }, 486],
  ] as const)('%s', async (_, first, sipStatus) => {
    const bench = benchWith(first);
    expect(await bench.finish(ring(bench))).toMatchObject({ sipStatus });
    expect(bench.peer.received).toEqual([]);
    bench.expectRest();
  });

  test('for a call that was cancelled meanwhile', async () => {
    const bench = benchWith(null);
    const placed = ring(bench);
    await bench.clock.advance(1_000);
    placed.call.cancel();
    expect(await bench.finish(placed)).toMatchObject({ outcome: 'cancelled' });
    expect(bench.peer.received).toEqual([]);
    bench.expectRest();
  });

  test('when all have failed: unreachable, and the trunk is said to be silent', async () => {
    const bench = createTelephonyBench({ script: {}, zone: { 'trunk.test': [FIRST, '10.0.0.8'] } });
    expect(await bench.finish(ring(bench))).toMatchObject({ outcome: 'unreachable', sipReason: 'No SIP answer came.' });
    expect(bench.signs).toEqual(['t1 silent']);
    bench.expectRest();
  });
});

describe('a first hop that answers late', () => {
  test('by ringing is cancelled', async () => {
    const bench = benchWith({ ringAfterMs: HOP_PATIENCE_MS + 500 }, { ringAfterMs: 100, answerAfterMs: 2_000 });
    expect(await bench.finish(ring(bench))).toMatchObject({ outcome: 'completed' });
    expect(methodsOf(bench.other(FIRST).received).slice(-2)).toEqual(['CANCEL', 'ACK']);
    expect(bench.other(FIRST).calls[0]?.state).toBe('cancelled');
    bench.expectRest();
  });

  test('by picking up is the call; the second hop is cancelled', async () => {
    const bench = benchWith({ answerAfterMs: HOP_PATIENCE_MS + 500 }, { ringAfterMs: 100 });
    expect(await bench.finish(ring(bench))).toMatchObject({ outcome: 'completed' });
    expect(bench.other(FIRST).calls[0]?.state).toBe('ended');
    expect(methodsOf(bench.peer.received)).toEqual(['INVITE', 'CANCEL', 'ACK']);
    bench.expectRest();
  });

  test('by picking up when the second has answered is hung up', async () => {
    const bench = benchWith({ answerAfterMs: HOP_PATIENCE_MS + 500 }, { answerAfterMs: 100 });
    expect(await bench.finish(ring(bench))).toMatchObject({ outcome: 'completed' });
    expect(methodsOf(bench.other(FIRST).received).slice(-2)).toEqual(['ACK', 'BYE']);
    expect(methodsOf(bench.peer.received)).toEqual(['INVITE', 'ACK', 'BYE']);
    bench.expectRest();
  });

  test('by picking up when the call is over is hung up', async () => {
    const bench = benchWith({ answerAfterMs: HOP_PATIENCE_MS + 500 }, { refuse: { status: 486, afterMs: 0 } });
    expect(await bench.finish(ring(bench))).toMatchObject({ outcome: 'busy' });
    expect(methodsOf(bench.other(FIRST).received).slice(-2)).toEqual(['ACK', 'BYE']);
    bench.expectRest();
  });
});
