/** RFC 5407 3.3 and appendices A, C and E: offers that cross, BYE in an early dialog, CANCEL, forks. */
import { describe, expect, test } from 'vitest';
import { methodsOf } from '../../test/support/sip-messages.ts';
import { sdpOf } from '../../test/support/sip-peer.ts';
import { SOON, sdpParts, talk } from '../../test/support/talking.ts';
import { createTelephonyBench, PEER } from '../../test/support/telephony-bench.ts';
import type { SipRequest } from '../sip/message.ts';

const ALLOW_UPDATE = { name: 'Allow', value: 'INVITE, ACK, BYE, UPDATE' };

test('3.3.1 re-INVITE crosses re-INVITE: 491 both ways, and ours again after 2.1 to 4 s', async () => {
  let isFirst = true;
  const serve = ({ method }: SipRequest) => {
    if (method !== 'INVITE' || !isFirst) return { status: 200 };
    isFirst = false;
    return { status: 491 };
  };
  const { bench, placed, call } = await talk({ answerHeaders: [SOON], serve });
  await bench.clock.advance(44_907);
  const theirs = call.request('INVITE', sdpParts(sdpOf('10.0.0.3')));
  await bench.clock.advance(50);
  expect(await theirs).toBe(491);
  expect((await bench.finish(placed)).outcome).toBe('completed');
  const ours = bench.traffic.filter(({ from, text }) => from === 'ua' && text.startsWith('INVITE'));
  const waitedMs = (ours[2]?.atMs ?? 0) - (ours[1]?.atMs ?? 0) - 10;
  expect(waitedMs).toBeGreaterThanOrEqual(2_100);
  expect(waitedMs).toBeLessThanOrEqual(4_000);
  expect(waitedMs % 10).toBe(0);
  bench.expectRest();
});

test('3.3.2 our UPDATE without an offer crosses their re-INVITE: both are taken', async () => {
  const { bench, placed, call } = await talk({ answerHeaders: [SOON, ALLOW_UPDATE] });
  await bench.clock.advance(44_907);
  const theirs = call.request('INVITE', sdpParts(sdpOf('10.0.0.3')));
  await bench.clock.advance(50);
  expect(await theirs).toBe(200);
  expect(bench.media.events.at(-1)).toMatchObject({ kind: 'redirect', to: { address: '10.0.0.3' } });
  expect((await bench.finish(placed)).outcome).toBe('completed');
  bench.expectRest();
});

test('3.3.2 our re-INVITE crosses their UPDATE with an offer: theirs gets 491', async () => {
  const { bench, placed, call } = await talk({ answerHeaders: [SOON] });
  await bench.clock.advance(44_907);
  const theirs = call.request('UPDATE', sdpParts(sdpOf('10.0.0.3')));
  const bare = call.request('UPDATE');
  await bench.clock.advance(50);
  expect([await theirs, await bare]).toEqual([491, 200]);
  expect((await bench.finish(placed)).outcome).toBe('completed');
  bench.expectRest();
});

test('Appendix A, but from the callee: BYE in an early dialog, its 200 being lost: hung up, and the INVITE is cancelled', async () => {
  const bench = createTelephonyBench({ script: { ringAfterMs: 0 } });
  const placed = bench.place();
  await bench.clock.advance(1_000);
  const status = bench.peer.calls[0]?.request('BYE');
  expect(await bench.finish(placed)).toMatchObject({ outcome: 'hung_up', wasAnswered: true });
  expect(await status).toBe(200);
  expect(methodsOf(bench.peer.received)).toEqual(['INVITE', 'CANCEL', 'ACK']);
  bench.expectRest();
});

test('Appendix A, but from the callee: its 200 comes after all: acknowledged, and no second BYE', async () => {
  const bench = createTelephonyBench({ script: { ringAfterMs: 0 } });
  const placed = bench.place();
  await bench.clock.advance(1_000);
  const call = bench.peer.calls[0];
  void call?.request('BYE');
  await bench.clock.advance(7);
  call?.say(200, sdpParts());
  expect((await bench.finish(placed)).outcome).toBe('hung_up');
  expect(methodsOf(bench.peer.received)).toEqual(['INVITE', 'CANCEL', 'ACK']);
  expect(bench.media.events.some(({ kind }) => kind === 'play')).toBe(false);
  bench.expectRest();
});

describe('Appendix C: CANCEL', () => {
  test('waits for a provisional answer, and is not sent if the final one comes first', async () => {
    const bench = createTelephonyBench({ script: { refuse: { status: 486, afterMs: 2_000 } } });
    const placed = bench.place();
    await bench.clock.advance(1_000);
    placed.call.cancel();
    expect((await bench.finish(placed)).outcome).toBe('cancelled');
    expect(methodsOf(bench.peer.received).filter((method) => method === 'CANCEL')).toEqual([]);
    bench.expectRest();
  });

  test('a late 1xx after the 487 changes nothing', async () => {
    const bench = createTelephonyBench({ script: { ringAfterMs: 0 } });
    const placed = bench.place({ ringTimeoutMs: 2_000 });
    await bench.clock.advance(2_500);
    bench.sayAs('late', 180);
    expect(await bench.finish(placed)).toMatchObject({ outcome: 'no_answer', sipStatus: 487 });
    bench.expectRest();
  });

  test('an answer after the ring time-out: no_answer, yet answered, so that nobody is called again', async () => {
    const bench = createTelephonyBench({ script: { ringAfterMs: 0, answerAfterMs: 2_007 } });
    const placed = bench.place({ ringTimeoutMs: 2_010 });
    expect(await bench.finish(placed)).toMatchObject({ outcome: 'no_answer', wasAnswered: true, sipStatus: 200 });
    expect(placed.progress.at(-1)).toMatchObject({ kind: 'answered', codec: null });
    expect(bench.peer.calls[0]?.state).toBe('ended');
    bench.expectRest();
  });
});

describe('Appendix E: forks and new To-tags', () => {
  test('who answers need not be who rang', async () => {
    const bench = createTelephonyBench({ script: { answerAfterMs: 1_000 } });
    const placed = bench.place();
    await bench.clock.advance(100);
    for (const tag of ['x', 'y', 'z']) bench.sayAs(tag, 180);
    expect((await bench.finish(placed)).outcome).toBe('completed');
    expect(placed.progress.filter(({ kind }) => kind === 'ringing')).toHaveLength(1);
    bench.expectRest();
  });

  test('two answers at once: the first wins, the other gets ACK and BYE with a Reason', async () => {
    const bench = createTelephonyBench({ script: { ringAfterMs: 0, answerAfterMs: 1_000 } });
    const placed = bench.place({ frames: [200] });
    await bench.clock.advance(900);
    bench.sayAs('fork', 180);
    await bench.clock.advance(120);
    bench.sendFork('fork');
    expect((await bench.finish(placed)).outcome).toBe('completed');
    const toFork = bench.traffic.filter(({ from, text }) => from === 'ua' && text.includes(';tag=fork'));
    expect(toFork.map(({ text }) => text.split(' ', 1)[0])).toEqual(expect.arrayContaining(['ACK', 'BYE']));
    expect(toFork.find(({ text }) => text.startsWith('BYE'))?.text).toContain('Reason: Q.850;cause=26');
    expect(bench.media.events.find(({ kind }) => kind === 'play')).toMatchObject({ to: { address: PEER.address } });
    bench.expectRest();
  });

  test('a fork that hangs up, or refreshes nothing, does not end the call', async () => {
    const bench = createTelephonyBench({ script: { answerAfterMs: 0 } });
    const placed = bench.place({ frames: [15_000] });
    await bench.clock.advance(1_000);
    bench.sayAs('fork', 200, { ...sdpParts(), headers: [{ name: 'Session-Expires', value: '90;refresher=uas' }] });
    expect((await bench.finish(placed)).outcome).toBe('completed');
    bench.expectRest();
  });

  test('beyond sixteen the surplus is ignored', async () => {
    const bench = createTelephonyBench({ script: { ringAfterMs: 0, answerAfterMs: 1_000 } });
    const placed = bench.place();
    await bench.clock.advance(500);
    for (let i = 0; i < 40; i++) bench.sayAs(`fork-${i}`, 180);
    await bench.clock.advance(100);
    expect(bench.agent.counts().dialogs).toBe(16);
    expect((await bench.finish(placed)).outcome).toBe('completed');
    bench.expectRest();
  });
});
