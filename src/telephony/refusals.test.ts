import { describe, expect, test } from 'vitest';
import { createTelephonyBench } from '../../test/support/telephony-bench.ts';
import type { Header } from '../sip/message.ts';

const refusedWith = async (status: number, headers: readonly Header[]) => {
  const bench = createTelephonyBench({ script: { gate: () => ({ status, headers }) } });
  const result = await bench.finish(bench.place());
  bench.expectRest();
  return result;
};
const reason = (value: string): Header => ({ name: 'Reason', value });
const retryAfter = (value: string): Header => ({ name: 'Retry-After', value });

describe('Reason with a Q.850 cause (RFC 3326)', () => {
  test.each([
    [480, 'Q.850;cause=17;text="User busy"', 'busy'],
    [503, 'Q.850 ;cause=17', 'busy'],
    [500, 'SIP;cause=500, q.850;cause=21;text="a, b"', 'rejected'],
    [403, 'Q.850;cause=1', 'unreachable'],
    [480, 'Q.850;cause=16', 'no_answer'],
    [486, 'Q.850;cause=21', 'busy'],
    [404, 'Q.850;cause=17', 'unreachable'],
    [480, 'Q.850;cause=9999', 'no_answer'],
    [480, 'Q.850;cause="17"', 'no_answer'],
    [480, ';;;', 'no_answer'],
  ])('%i with %s is %s', async (status, value, outcome) => {
    expect(await refusedWith(status, [reason(value)])).toMatchObject({ outcome, sipStatus: status });
  });

  test('is kept in words, and cannot break out of its line', async () => {
    const { sipReason } = await refusedWith(480, [reason('Q.850;cause=17;text="User \\"busy\\"\\\u0007"')]);
    expect(sipReason).toBe('Temporarily Unavailable (Q.850 17: User "busy" )');
  });

  test('of a BYE is kept too', async () => {
    const bench = createTelephonyBench({ script: { answerAfterMs: 0 } });
    const placed = bench.place({ frames: [500] });
    await bench.clock.advance(1_000);
    void bench.peer.calls[0]?.request('BYE', { headers: [reason('Q.850;cause=16;text="Normal call clearing"')] });
    expect(await bench.finish(placed)).toMatchObject({
      outcome: 'hung_up',
      sipStatus: 200,
      sipReason: 'Q.850 16: Normal call clearing',
    });
  });

  test('is sent with our own CANCEL and BYE', async () => {
    const rung = createTelephonyBench({ script: { ringAfterMs: 0 } });
    await rung.finish(rung.place({ ringTimeoutMs: 1_000 }));
    expect(rung.traffic.find(({ text }) => text.startsWith('CANCEL'))?.text).toContain(
      '\r\nReason: Q.850;cause=19;text="No answer from user"\r\n',
    );
    const talked = createTelephonyBench({ script: { answerAfterMs: 0 } });
    await talked.finish(talked.place());
    expect(talked.traffic.find(({ text }) => text.startsWith('BYE'))?.text).toContain(
      '\r\nReason: Q.850;cause=16;text="Normal call clearing"\r\n',
    );
  });
});

describe('Retry-After', () => {
  test.each([
    [480, '120', 120],
    [486, '60 (I am in a meeting)', 60],
    [503, '5;duration=3600', 5],
    [600, '999999999999', 86_400],
  ])('%i with %s is kept, at most a day', async (status, value, seconds) => {
    expect((await refusedWith(status, [retryAfter(value)])).retryAfterSeconds).toBe(seconds);
  });

  test.each([
    [486, 'soon'],
    [486, '-1'],
    [486, '1x'],
    [407, '60'],
  ])('%i with %s says nothing', async (status, value) => {
    expect(await refusedWith(status, [retryAfter(value)])).not.toHaveProperty('retryAfterSeconds');
  });
});
