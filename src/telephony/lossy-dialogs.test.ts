import { expect, test } from 'vitest';
import type { Misfortune } from '../../test/support/seeded-network.ts';
import { sdpOf } from '../../test/support/sip-peer.ts';
import { SOON, sdpParts } from '../../test/support/talking.ts';
import { createTelephonyBench, type TelephonyBench } from '../../test/support/telephony-bench.ts';
import type { SipRequest } from '../sip/message.ts';

const SEEDS = 15;
const STORM: Omit<Misfortune, 'seed'> = { loss: 0.3, duplication: 0.15, delayMs: [5, 600] };
const ALLOW_UPDATE = { name: 'Allow', value: 'INVITE, ACK, BYE, UPDATE' };

/** The peer holds, resumes and moves the whole time, most of all around our own refreshes, every 45 s. */
const disturb = async (bench: TelephonyBench, method: string): Promise<void> => {
  for (let i = 0; i < 40; i++) {
    await bench.clock.advance(3_700);
    const call = bench.peer.calls[0];
    const sdp = sdpOf('10.0.0.2', 40_000 + 2 * i, i % 2 === 0 ? 'a=sendonly' : '');
    if (call?.state === 'talking') void call.request(method, sdpParts(sdp));
  }
};

test.each([
  ['re-INVITEs against our re-INVITEs', 'INVITE', [SOON]],
  ['re-INVITEs against our UPDATEs', 'INVITE', [SOON, ALLOW_UPDATE]],
  ['UPDATEs against our re-INVITEs', 'UPDATE', [SOON]],
  ['UPDATEs against our UPDATEs', 'UPDATE', [SOON, ALLOW_UPDATE]],
] as const)('%s, over a network that loses, repeats and reorders: nothing is stuck', async (_what, method, headers) => {
  const outcomes = new Map<string, number>();
  for (let seed = 1; seed <= SEEDS; seed++) {
    const serve = (request: SipRequest) => ({
      status: 200,
      parts: { headers: [SOON], ...(request.method === 'INVITE' ? sdpParts() : {}) },
    });
    const script = { answerAfterMs: 0, answerHeaders: headers, serve };
    const bench = createTelephonyBench({ script, misfortune: { ...STORM, seed } });
    const placed = bench.place({ frames: [7_000] });
    await disturb(bench, method);
    const { outcome } = await bench.finish(placed);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    expect(bench.peer.calls[0]?.state, `seed ${seed}: ${outcome}`).toBeOneOf([undefined, 'ended']);
    bench.expectRest();
  }
  expect(outcomes.get('completed') ?? 0).toBeGreaterThan(SEEDS / 2);
});
