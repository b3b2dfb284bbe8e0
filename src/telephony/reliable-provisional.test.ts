import { describe, expect, test } from 'vitest';
import { methodsOf } from '../../test/support/sip-messages.ts';
import { sdpOf } from '../../test/support/sip-peer.ts';
import { createTelephonyBench, PEER, type TelephonyBench } from '../../test/support/telephony-bench.ts';
import { findHeader } from '../sip/message.ts';
import type { ResponseParts } from '../sip/response.ts';

const sdp = (text: string): ResponseParts => ({ contentType: 'application/sdp', body: new TextEncoder().encode(text) });
const reliable = (rseq: number | string, parts: ResponseParts = {}): ResponseParts => ({
  ...parts,
  headers: [
    { name: 'Require', value: '100rel' },
    { name: 'RSeq', value: String(rseq) },
  ],
});
const racksOf = (bench: TelephonyBench) =>
  bench.peer.received.filter(({ method }) => method === 'PRACK').map((prack) => findHeader(prack, 'RAck'));

const ringing = async (script = {}) => {
  const bench = createTelephonyBench({ script });
  const placed = bench.place();
  await bench.clock.advance(10);
  const call = bench.peer.calls[0];
  if (!call) throw new Error('no call');
  return { bench, placed, call };
};

describe('reliable provisional answers (RFC 3262)', () => {
  test('each in order gets one PRACK that names it; the BYE counts on from there', async () => {
    const { bench, placed, call } = await ringing({ answerAfterMs: 500 });
    call.say(183, reliable(7));
    await bench.clock.advance(50);
    call.say(180, reliable(8));
    const result = await bench.finish(placed);
    expect(result.outcome).toBe('completed');
    expect(racksOf(bench)).toEqual(['7 1 INVITE', '8 1 INVITE']);
    expect(bench.peer.received.map(({ cseq }) => `${cseq.number} ${cseq.method}`)).toEqual([
      '1 INVITE',
      '2 PRACK',
      '3 PRACK',
      '1 ACK',
      '4 BYE',
    ]);
    bench.expectRest();
  });

  test('repeats and gaps are not acknowledged', async () => {
    const { bench, placed, call } = await ringing({ answerAfterMs: 800 });
    for (const rseq of [3, 3, 5, 2, 4, 4]) {
      call.say(183, reliable(rseq));
      await bench.clock.advance(50);
    }
    await bench.finish(placed);
    expect(racksOf(bench)).toEqual(['3 1 INVITE', '4 1 INVITE']);
    bench.expectRest();
  });

  test('each early dialog counts for itself', async () => {
    const { bench, placed, call } = await ringing({ answerAfterMs: 800 });
    call.say(183, reliable(10));
    bench.sayAs('other', 183, reliable(1));
    bench.sayAs('other', 183, reliable(2));
    expect((await bench.finish(placed)).outcome).toBe('completed');
    const pracks = bench.traffic.filter(({ text }) => text.startsWith('PRACK'));
    const named = new Set(
      pracks.map(({ text }) => `${/tag=(\S+)\r\nCall/.exec(text)?.[1]} ${/RAck: (\d+)/.exec(text)?.[1]}`),
    );
    expect([...named].sort()).toEqual(['other 1', 'other 2', `to-${PEER.address}-${PEER.port}-1 10`]);
    bench.expectRest();
  });

  test.each(['', 'x', '-1', '4294967296', '1 2'])('an RSeq of "%s" gets none', async (rseq) => {
    const { bench, placed, call } = await ringing({ answerAfterMs: 200 });
    call.say(183, reliable(rseq));
    expect((await bench.finish(placed)).outcome).toBe('completed');
    expect(racksOf(bench)).toEqual([]);
  });

  test('its SDP is the answer when the 200 has none', async () => {
    const { bench, placed, call } = await ringing({ answerAfterMs: 300, answer: '' });
    call.say(183, reliable(1, sdp(sdpOf('10.0.0.9', 42_000))));
    const result = await bench.finish(placed);
    expect(result).toMatchObject({ outcome: 'completed', codec: 'PCMU' });
    expect(bench.media.events[0]).toMatchObject({ kind: 'play', to: { address: '10.0.0.9', port: 42_000 } });
    bench.expectRest();
  });

  test('its SDP is the answer even when the 200 has another (RFC 3262 5)', async () => {
    const { bench, placed, call } = await ringing({ answerAfterMs: 300 });
    call.say(183, reliable(1, sdp(sdpOf('10.0.0.9', 42_000))));
    await bench.finish(placed);
    expect(bench.media.events[0]).toMatchObject({ kind: 'play', to: { address: '10.0.0.9', port: 42_000 } });
  });

  test('its SDP counts in its own early dialog alone', async () => {
    const { bench, placed } = await ringing({ answerAfterMs: 300 });
    bench.sayAs('other', 183, reliable(1, sdp(sdpOf('10.0.0.9', 42_000))));
    await bench.finish(placed);
    expect(bench.media.events[0]).toMatchObject({ kind: 'play', to: { address: PEER.address, port: 40_000 } });
  });

  test('the SDP of an unreliable 183 is early media: it is no answer', async () => {
    const { bench, placed, call } = await ringing({ answerAfterMs: 300 });
    call.say(183, sdp(sdpOf('10.0.0.9', 42_000)));
    expect((await bench.finish(placed)).outcome).toBe('completed');
    expect(bench.media.events[0]).toMatchObject({ to: { address: PEER.address, port: 40_000 } });
    expect(methodsOf(bench.peer.received)).toEqual(['INVITE', 'ACK', 'BYE']);
  });

  test('an unusable answer in it fails the call when it is answered', async () => {
    const { bench, placed, call } = await ringing({ answerAfterMs: 300, answer: '' });
    call.say(183, reliable(1, sdp(sdpOf('224.0.0.1'))));
    expect(await bench.finish(placed)).toMatchObject({
      outcome: 'failed',
      sipReason: expect.stringMatching(/multicast/),
    });
    bench.expectRest();
  });

  test('a PRACK that nobody answers harms nothing', async () => {
    const { bench, placed, call } = await ringing({ answerAfterMs: 300, serve: () => null });
    call.say(183, reliable(1));
    expect((await bench.finish(placed)).outcome).toBe('completed');
    bench.expectRest();
  });
});

describe('UPDATE before the answer (RFC 3311)', () => {
  test('an offer meets our own that is open: 491', async () => {
    const { bench, placed, call } = await ringing({ answerAfterMs: 500 });
    call.say(183);
    await bench.clock.advance(50);
    const status = call.request('UPDATE', sdp(sdpOf('10.0.0.9', 42_000)));
    await bench.clock.advance(50);
    expect(await status).toBe(491);
    expect((await bench.finish(placed)).outcome).toBe('completed');
    bench.expectRest();
  });

  test('without an offer it is answered', async () => {
    const { bench, placed, call } = await ringing({ answerAfterMs: 500 });
    call.say(183);
    await bench.clock.advance(50);
    const status = call.request('UPDATE');
    await bench.clock.advance(50);
    expect(await status).toBe(200);
    expect((await bench.finish(placed)).outcome).toBe('completed');
  });

  test('after an answer in a reliable 183 it moves the voice before it begins', async () => {
    const { bench, placed, call } = await ringing({ answerAfterMs: 500, answer: '' });
    call.say(183, reliable(1, sdp(sdpOf('10.0.0.9', 42_000))));
    await bench.clock.advance(50);
    const status = call.request('UPDATE', sdp(sdpOf('10.0.0.8', 43_000)));
    await bench.clock.advance(50);
    expect(await status).toBe(200);
    expect((await bench.finish(placed)).outcome).toBe('completed');
    const voice = bench.media.events.filter(({ kind }) => kind !== 'stop' && kind !== 'finished');
    expect(voice).toMatchObject([{ kind: 'play', to: { address: '10.0.0.8', port: 43_000 } }]);
  });

  test('a re-INVITE before the answer meets our INVITE: 491', async () => {
    const { bench, placed, call } = await ringing({ answerAfterMs: 500, answer: '' });
    call.say(183, reliable(1, sdp(sdpOf('10.0.0.9', 42_000))));
    await bench.clock.advance(50);
    const status = call.request('INVITE', sdp(sdpOf('10.0.0.8', 43_000)));
    await bench.clock.advance(50);
    expect(await status).toBe(491);
    expect((await bench.finish(placed)).outcome).toBe('completed');
  });
});
