import { describe, expect, test } from 'vitest';
import { CREDENTIALS, createDigestGate, TRUNK } from '../../test/support/digest-gate.ts';
import type { PeerScript, Refusal } from '../../test/support/peer-script.ts';
import { methodsOf } from '../../test/support/sip-messages.ts';
import { createTelephonyBench, type TelephonyBench } from '../../test/support/telephony-bench.ts';
import type { SipRequest } from '../sip/message.ts';
import { branchOf } from '../sip/via.ts';

const ANSWERS: PeerScript = { ringAfterMs: 100, answerAfterMs: 1_000 };

const benchWith = (gate: (request: SipRequest) => Refusal | null, script: PeerScript = ANSWERS): TelephonyBench =>
  createTelephonyBench({ script: { ...script, gate } });

describe('an end that falls between', () => {
  test('a cancellation before the challenge comes: no second INVITE', async () => {
    const bench = benchWith(createDigestGate());
    const placed = bench.place({ trunk: TRUNK });
    await bench.clock.advance(7);
    placed.call.cancel();
    expect(await bench.finish(placed)).toMatchObject({ outcome: 'cancelled', sipStatus: 401 });
    expect(methodsOf(bench.peer.received)).toEqual(['INVITE', 'ACK']);
    bench.expectRest();
  });

  test('a cancellation after the second INVITE went out: CANCEL of that one, once it has rung', async () => {
    const bench = benchWith(createDigestGate(), { ringAfterMs: 100 });
    const placed = bench.place({ trunk: TRUNK });
    await bench.clock.advance(12);
    placed.call.cancel();
    expect(await bench.finish(placed)).toMatchObject({ outcome: 'cancelled', sipStatus: 487 });
    expect(methodsOf(bench.peer.received)).toEqual(['INVITE', 'ACK', 'INVITE', 'CANCEL', 'ACK']);
    const cancel = bench.peer.received[3];
    const invite = bench.peer.received[2];
    expect(cancel && branchOf(cancel.vias[0])).toBe(invite && branchOf(invite.vias[0]));
    bench.expectRest();
  });

  test('the second INVITE is not cancelled before it was answered, though the first one was', async () => {
    const gate = createDigestGate();
    const bench = benchWith(gate, {});
    const placed = bench.place({ trunk: TRUNK, ringTimeoutMs: 5_000 });
    expect((await bench.finish(placed)).outcome).toBe('unreachable');
    expect(bench.traffic.some(({ text }) => text.startsWith('CANCEL'))).toBe(false);
  });

  test('the ring time-out counts from the first INVITE', async () => {
    const bench = benchWith(createDigestGate(), { ringAfterMs: 0 });
    expect((await bench.finish(bench.place({ trunk: TRUNK, ringTimeoutMs: 5_000 }))).outcome).toBe('no_answer');
    expect(bench.traffic.find(({ text }) => text.startsWith('CANCEL'))?.atMs).toBe(5_000);
    bench.expectRest();
  });

  test('a 487 to the second INVITE that never comes is given up, and nothing of it is left', async () => {
    const bench = benchWith(createDigestGate(), { ringAfterMs: 0, isDeafToCancel: true });
    const placed = bench.place({ trunk: TRUNK, ringTimeoutMs: 5_000 });
    expect((await bench.finish(placed)).outcome).toBe('no_answer');
    bench.expectRest();
  });

  test('a 401 that is repeated is acknowledged again, and answered once', async () => {
    const bench = benchWith(createDigestGate());
    bench.dropFirst('ACK', 2);
    expect((await bench.finish(bench.place({ trunk: TRUNK }))).outcome).toBe('completed');
    expect(bench.peer.received.filter(({ method }) => method === 'INVITE')).toHaveLength(2);
    expect(bench.traffic.filter(({ text }) => text.startsWith('ACK') && / 1 ACK/.test(text)).length).toBeGreaterThan(1);
    bench.expectRest();
  });
});

const STORM = { loss: 0.3, duplication: 0.15, delayMs: [5, 600] } as const;

describe('over a network that loses, repeats and reorders', () => {
  test.each([
    ['right', CREDENTIALS.password, ['completed', 'unreachable']],
    ['wrong', 'another', ['rejected', 'unreachable']],
  ])('with the %s password, 100 seeds: no stuck state, no INVITE too many', async (_, password, outcomes) => {
    for (let seed = 0; seed < 100; seed++) {
      const script = { ...ANSWERS, gate: createDigestGate({ password }) };
      const bench = createTelephonyBench({ script, misfortune: { ...STORM, seed } });
      const { outcome } = await bench.finish(bench.place({ trunk: TRUNK, frames: [50] }));
      expect(outcomes, `seed ${seed}`).toContain(outcome);
      const numbers = new Set(
        bench.traffic.flatMap(({ text }) => /^INVITE[\s\S]*\r\nCSeq: (\d+) /.exec(text)?.[1] ?? []),
      );
      expect(numbers.size, `seed ${seed}`).toBeLessThanOrEqual(2);
      expect(bench.peer.calls.length, `seed ${seed}`).toBeLessThanOrEqual(1);
      bench.expectRest();
    }
  });
});
