/**
 * RFC 5407 3.1: a request comes while the 2xx to an INVITE is on its way to its ACK. The callee of the RFC is the peer
 * where we ring it, and we ourselves where it sends us a re-INVITE.
 */
import { expect, test } from 'vitest';
import { methodsOf } from '../../test/support/sip-messages.ts';
import { sdpOf } from '../../test/support/sip-peer.ts';
import { sdpParts, talk } from '../../test/support/talking.ts';
import { createTelephonyBench } from '../../test/support/telephony-bench.ts';

test('3.1.1 the INVITE is repeated while its 200 is on the way: one dialog, one call', async () => {
  const bench = createTelephonyBench({ script: { answerAfterMs: 0 } });
  bench.delayFirst('SIP/2.0 200', 3_000);
  bench.dropFirst('SIP/2.0 1', 9);
  expect((await bench.finish(bench.place({ frames: [200] }))).outcome).toBe('completed');
  expect(bench.peer.received.filter(({ method }) => method === 'INVITE').length).toBeGreaterThan(1);
  expect(bench.peer.calls).toHaveLength(1);
  expect(bench.media.events.filter(({ kind }) => kind === 'play')).toHaveLength(1);
  bench.expectRest();
});

test('3.1.2 CANCEL crosses the 200: it is acknowledged, then BYE ends it', async () => {
  const bench = createTelephonyBench({ script: { ringAfterMs: 0, answerAfterMs: 1_000 } });
  const placed = bench.place();
  await bench.clock.advance(1_007);
  placed.call.cancel();
  const result = await bench.finish(placed);
  expect(result).toMatchObject({ outcome: 'cancelled', wasAnswered: true });
  expect(methodsOf(bench.peer.received)).toEqual(['INVITE', 'CANCEL', 'ACK', 'BYE']);
  expect(placed.progress).toMatchObject([{ kind: 'ringing' }, { kind: 'answered', codec: null }]);
  bench.expectRest();
});

test('3.1.3 an early dialog is never ended by BYE, which could cross the 200: CANCEL ends them all', async () => {
  const bench = createTelephonyBench({ script: { ringAfterMs: 0, answerAfterMs: 1_000 } });
  const placed = bench.place();
  await bench.clock.advance(500);
  bench.sayAs('other', 180);
  await bench.clock.advance(507);
  placed.call.cancel();
  await bench.finish(placed);
  const ours = bench.traffic.filter(({ from }) => from === 'ua').map(({ text }) => text.split(' ', 1)[0]);
  expect(ours).toEqual(['INVITE', 'CANCEL', 'ACK', 'BYE']);
  bench.expectRest();
});

test('3.1.4 a re-INVITE while our answer to the one before is not acknowledged: taken', async () => {
  const { bench, placed, call } = await talk();
  bench.dropFirst('ACK', 1);
  const first = call.request('INVITE', sdpParts(sdpOf('10.0.0.3')));
  await bench.clock.advance(50);
  const second = call.request('INVITE', sdpParts(sdpOf('10.0.0.4')));
  await bench.clock.advance(50);
  expect([await first, await second]).toEqual([200, 200]);
  expect(bench.media.events.filter(({ kind }) => kind === 'redirect').map(({ to }) => to?.address)).toEqual([
    '10.0.0.3',
    '10.0.0.4',
  ]);
  expect((await bench.finish(placed)).outcome).toBe('completed');
  bench.expectRest();
});

test.each(['INVITE', 'UPDATE'])(
  '3.1.5 %s with an offer while ours waits for its answer in the ACK: 491',
  async (method) => {
    const { bench, placed, call } = await talk();
    bench.dropFirst('ACK', 1);
    const first = call.request('INVITE');
    await bench.clock.advance(50);
    const early = call.request(method, sdpParts(sdpOf('10.0.0.4')));
    await bench.clock.advance(50);
    expect([await first, await early]).toEqual([200, 491]);
    await bench.clock.advance(40_000);
    const later = call.request(method, sdpParts(sdpOf('10.0.0.4')));
    await bench.clock.advance(50);
    expect(await later).toBe(200);
    expect((await bench.finish(placed)).outcome).toBe('completed');
    bench.expectRest();
  },
);

test('3.1.6 our BYE comes before our ACK, which was lost: the call is over for both', async () => {
  const bench = createTelephonyBench({ script: { answerAfterMs: 0 } });
  bench.dropFirst('ACK', 1);
  expect((await bench.finish(bench.place({ frames: [5] }))).outcome).toBe('completed');
  expect(methodsOf(bench.peer.received)).toEqual(['INVITE', 'BYE']);
  expect(bench.peer.calls[0]?.state).toBe('ended');
  bench.expectRest();
});

test('3.1.6 their BYE comes while our 200 to their re-INVITE waits for its ACK: answered, and no more is repeated', async () => {
  const { bench, placed, call, said } = await talk();
  bench.dropFirst('ACK', 1);
  void call.request('INVITE', sdpParts());
  await bench.clock.advance(50);
  const status = call.request('BYE');
  await bench.clock.advance(50);
  expect(await status).toBe(200);
  expect((await bench.finish(placed)).outcome).toBe('hung_up');
  expect(said().filter((line) => line === '200 1 INVITE')).toHaveLength(1);
  bench.expectRest();
});
