import { describe, expect, test } from 'vitest';
import { methodsOf } from '../../test/support/sip-messages.ts';
import { sdpOf } from '../../test/support/sip-peer.ts';
import { createTelephonyBench } from '../../test/support/telephony-bench.ts';

describe('cancelling', () => {
  test('before anything was sent', async () => {
    const bench = createTelephonyBench({ script: { answerAfterMs: 0 } });
    const placed = bench.place();
    placed.call.cancel();
    expect((await bench.finish(placed)).outcome).toBe('cancelled');
    expect(bench.traffic).toEqual([]);
    bench.expectRest();
  });

  test('before any provisional answer: CANCEL waits for one', async () => {
    const bench = createTelephonyBench({ script: { ringAfterMs: 4_000 } });
    const placed = bench.place();
    await bench.clock.advance(1_000);
    placed.call.cancel();
    expect(await bench.finish(placed)).toMatchObject({ outcome: 'cancelled', sipStatus: 487 });
    expect(bench.traffic.find((entry) => entry.text.startsWith('CANCEL'))?.atMs).toBe(4_010);
    expect(placed.progress).toEqual([]);
    bench.expectRest();
  });

  test('nobody ever answers: cancelled stays', async () => {
    const bench = createTelephonyBench({ script: {} });
    const placed = bench.place();
    await bench.clock.advance(1_000);
    placed.call.cancel();
    expect((await bench.finish(placed)).outcome).toBe('cancelled');
  });

  test('a 200 that crosses the CANCEL is acknowledged and hung up', async () => {
    const bench = createTelephonyBench({ script: { ringAfterMs: 0, answerAfterMs: 2_003 } });
    const placed = bench.place();
    await bench.clock.advance(2_005);
    placed.call.cancel();
    expect((await bench.finish(placed)).outcome).toBe('cancelled');
    expect(methodsOf(bench.peer.received)).toEqual(['INVITE', 'CANCEL', 'ACK', 'BYE']);
    expect(bench.media.events).not.toContainEqual(expect.objectContaining({ kind: 'play' }));
    bench.expectRest();
  });

  test('a 200 after a ring time-out without any answer: hung up, no_answer', async () => {
    const bench = createTelephonyBench({ script: { answerAfterMs: 6_000 } });
    expect((await bench.finish(bench.place({ ringTimeoutMs: 5_000 }))).outcome).toBe('no_answer');
    expect(bench.peer.calls[0]?.state).toBe('ended');
    bench.expectRest();
  });

  test('in mid-talk: the voice stops at once and BYE is sent', async () => {
    const bench = createTelephonyBench({ script: { answerAfterMs: 0 } });
    const placed = bench.place({ frames: [500] });
    await bench.clock.advance(2_010);
    placed.call.cancel();
    const result = await bench.finish(placed);
    expect(result).toMatchObject({ outcome: 'cancelled', framesSent: [100], sipStatus: 200 });
    expect(bench.media.events.find((event) => event.kind === 'stop')?.atMs).toBe(2_010);
    expect(bench.peer.calls[0]?.state).toBe('ended');
    bench.expectRest();
  });

  test('after the end it changes nothing', async () => {
    const bench = createTelephonyBench({ script: { answerAfterMs: 0 } });
    const placed = bench.place();
    await bench.clock.advance(1_500);
    placed.call.cancel();
    expect((await bench.finish(placed)).outcome).toBe('completed');
  });
});

describe('the called party ends or errs', () => {
  test('its BYE is answered and the voice stops: hung_up', async () => {
    const bench = createTelephonyBench({ script: { answerAfterMs: 0, hangUpAfterMs: 1_000 } });
    const placed = bench.place({ frames: [500] });
    const result = await bench.finish(placed);
    expect(result).toMatchObject({ outcome: 'hung_up', sipStatus: 200 });
    expect(result.framesSent[0]).toBeLessThan(60);
    expect(methodsOf(bench.peer.received)).toEqual(['INVITE', 'ACK']);
    bench.expectRest();
  });

  test('BYE crossing BYE: completed, both answered', async () => {
    const bench = createTelephonyBench({ script: { answerAfterMs: 0, hangUpAfterMs: 997 } });
    expect((await bench.finish(bench.place({ frames: [50] }))).outcome).toBe('completed');
    expect(bench.peer.received.at(-1)?.method).toBe('BYE');
    expect(
      bench.traffic.filter((entry) => /^SIP\/2\.0 (200|481)/.test(entry.text) && / BYE\r\n/.test(entry.text)),
    ).toHaveLength(2);
    bench.expectRest();
  });

  test('a lost ACK is repeated for the repeated 200, octet for octet', async () => {
    const bench = createTelephonyBench({ script: { answerAfterMs: 0 } });
    bench.dropFirst('ACK', 2);
    expect((await bench.finish(bench.place({ frames: [300] }))).outcome).toBe('completed');
    const acks = bench.traffic.filter((entry) => entry.text.startsWith('ACK'));
    expect(acks).toHaveLength(3);
    expect(new Set(acks.map((entry) => entry.text)).size).toBe(1);
    expect(bench.media.events.filter((event) => event.kind === 'play')).toHaveLength(1);
    bench.expectRest();
  });

  test('a 200 repeated after our BYE is still acknowledged', async () => {
    const bench = createTelephonyBench({ script: { answerAfterMs: 0 } });
    bench.dropFirst('ACK', 1);
    bench.dropFirst('BYE', 2);
    expect((await bench.finish(bench.place({ frames: [10] }))).outcome).toBe('completed');
    expect(methodsOf(bench.peer.received)).toEqual(['INVITE', 'ACK', 'BYE']);
    bench.expectRest();
  });

  test('a forked second 200 is acknowledged and hung up; the first goes on', async () => {
    const bench = createTelephonyBench({ script: { answerAfterMs: 0 } });
    const placed = bench.place({ frames: [200] });
    await bench.clock.advance(1_000);
    bench.sendFork('other-tag');
    expect((await bench.finish(placed)).outcome).toBe('completed');
    const toFork = bench.traffic.filter(
      (entry) => entry.text.includes('tag=other-tag') && !entry.text.startsWith('SIP'),
    );
    expect(toFork.map((entry) => entry.text.slice(0, 3))).toEqual(expect.arrayContaining(['ACK', 'BYE']));
    expect(bench.media.events.filter((event) => event.kind === 'play')).toHaveLength(1);
    bench.expectRest();
  });

  test('what a call leaves behind: the 200 repeated after its end is acknowledged, a fork that answers then hung up once', async () => {
    const bench = createTelephonyBench({ script: { answerAfterMs: 0 } });
    const placed = bench.place({ frames: [10] });
    await bench.clock.advance(5_000);
    expect(placed.endedAtMs()).toBeLessThan(5_000);
    const before = bench.traffic.length;
    for (let nth = 1; nth <= 2; nth++) bench.sendFork('late');
    await bench.clock.advance(1_000);
    const said = bench.traffic.slice(before).filter(({ from }) => from === 'ua');
    const lines = said.map(({ text }) => `${text.slice(0, 3)} ${/^CSeq: (.*)$/m.exec(text)?.[1]?.trim()}`);
    expect(lines).toEqual(['ACK 1 ACK', 'BYE 1002 BYE', 'ACK 1 ACK']);
    expect(said[2]?.text).toBe(said[0]?.text);
    expect(said[1]?.text).toMatch(/^Reason: Q.850;cause=26/m);
    expect((await bench.finish(placed)).outcome).toBe('completed');
    bench.expectRest();
  });

  test.each([
    ['no codec', sdpOf('10.0.0.2').replace('RTP/AVP 0 8', 'RTP/AVP 18'), /codec/],
    ['port 0', sdpOf('10.0.0.2', 0), /port 0/],
    ['multicast', sdpOf('224.0.0.5'), /multicast/],
    ['broadcast', sdpOf('255.255.255.255'), /broadcast/],
    ['loopback', sdpOf('127.0.0.1'), /loopback/],
    ['no SDP', '', /no SDP/],
  ])('an answer with %s is acknowledged, hung up and failed', async (_name, answer, words) => {
    const bench = createTelephonyBench({ script: { answerAfterMs: 0, answer } });
    const result = await bench.finish(bench.place());
    expect(result).toMatchObject({ outcome: 'failed', sipStatus: 200, sipReason: expect.stringMatching(words) });
    expect(methodsOf(bench.peer.received)).toEqual(['INVITE', 'ACK', 'BYE']);
    bench.expectRest();
  });

  test.each([
    ['early', 1_000],
    ['in the last words', 9_900],
  ])('a media thread that breaks down %s is failed', async (_when, afterMs) => {
    const bench = createTelephonyBench({ script: { answerAfterMs: 0 } });
    const placed = bench.place({ frames: [500] });
    await bench.clock.advance(afterMs);
    bench.media.breakDown();
    expect(await bench.finish(placed)).toMatchObject({
      outcome: 'failed',
      sipReason: expect.stringMatching(/broke off/),
    });
    expect(bench.peer.calls[0]?.state).toBe('ended');
  });

  test('a phone whose media port refuses voice is hung up on, and the call failed', async () => {
    const bench = createTelephonyBench({ script: { answerAfterMs: 0 } });
    const placed = bench.place({ frames: [500] });
    await bench.clock.advance(3000);
    bench.media.refuse();
    expect(await bench.finish(placed)).toMatchObject({
      outcome: 'failed',
      wasAnswered: true,
      sipReason: expect.stringMatching(/media port of the phone refused the voice/),
      rtp: { peerRefusals: 3, packetsRefused: 0 },
    });
    expect(bench.peer.calls[0]?.state).toBe('ended');
  });

  test('a BYE that nobody answers ends after timer F', async () => {
    const bench = createTelephonyBench({ script: { answerAfterMs: 0 } });
    bench.dropFirst('BYE', 100);
    const placed = bench.place({ frames: [50] });
    expect((await bench.finish(placed)).outcome).toBe('completed');
    expect(placed.endedAtMs()).toBeGreaterThanOrEqual(33_000);
  });
});
