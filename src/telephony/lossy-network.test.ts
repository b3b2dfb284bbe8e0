import { describe, expect, test } from 'vitest';
import type { PeerScript } from '../../test/support/peer-script.ts';
import type { Misfortune } from '../../test/support/seeded-network.ts';
import type { PeerCallState } from '../../test/support/sip-peer.ts';
import { createTelephonyBench } from '../../test/support/telephony-bench.ts';
import type { Outcome } from '../domain/outcome.ts';

const SEEDS = 200;
const STORM: Omit<Misfortune, 'seed'> = { loss: 0.3, duplication: 0.15, delayMs: [5, 600] };

interface Scenario {
  readonly name: string;
  readonly script: PeerScript;
  readonly ringTimeoutMs?: number;
  readonly cancelAfterMs?: number;
}

const SCENARIOS: readonly Scenario[] = [
  { name: 'answered', script: { tryingAfterMs: 0, ringAfterMs: 200, answerAfterMs: 3_000 } },
  { name: 'answered at once', script: { answerAfterMs: 0 } },
  { name: 'busy', script: { tryingAfterMs: 0, refuse: { status: 486, afterMs: 500 } } },
  { name: 'hung up early', script: { ringAfterMs: 0, answerAfterMs: 1_000, hangUpAfterMs: 1_500 } },
  { name: 'BYE near BYE', script: { ringAfterMs: 0, answerAfterMs: 1_000, hangUpAfterMs: 4_000 } },
  { name: 'never answered', script: { ringAfterMs: 100 }, ringTimeoutMs: 20_000 },
  { name: 'answer near the ring time-out', script: { ringAfterMs: 100, answerAfterMs: 10_000 }, ringTimeoutMs: 10_300 },
  { name: 'cancelled while ringing', script: { ringAfterMs: 100 }, cancelAfterMs: 6_000 },
  { name: 'cancelled near the answer', script: { ringAfterMs: 100, answerAfterMs: 5_000 }, cancelAfterMs: 5_200 },
  { name: 'cancelled near the INVITE', script: { ringAfterMs: 0, answerAfterMs: 900 }, cancelAfterMs: 300 },
];

/** What the called party may believe at rest, for each outcome of ours: never that the call goes on. */
const AGREED: Readonly<Partial<Record<Outcome, readonly PeerCallState[]>>> = {
  completed: ['ended'],
  hung_up: ['ended'],
  busy: ['refused'],
  no_answer: ['cancelled', 'ended'],
  cancelled: ['cancelled', 'ended'],
};

const ringsForEver = (state: PeerCallState | undefined): boolean => state === undefined || state === 'invited';

describe.each(SCENARIOS)('$name, over a network that loses, repeats and reorders', (scenario) => {
  test(`${SEEDS / SCENARIOS.length} seeds: no stuck state, both sides agree`, async () => {
    for (let i = 0; i < SEEDS / SCENARIOS.length; i++) {
      const seed = 1_000 * SCENARIOS.indexOf(scenario) + i;
      const bench = createTelephonyBench({ script: scenario.script, misfortune: { ...STORM, seed } });
      const placed = bench.place({ frames: [100, 100], ringTimeoutMs: scenario.ringTimeoutMs ?? 45_000 });
      if (scenario.cancelAfterMs !== undefined)
        bench.clock.wakeAfter(scenario.cancelAfterMs, () => placed.call.cancel());
      const { outcome, framesSent } = await bench.finish(placed);
      const state = bench.peer.calls[0]?.state;

      // Nothing of ours was heard, or nothing came back while timer B ran: then the peer may still ring, no more.
      const isSilence = outcome === 'unreachable' || (outcome === 'cancelled' && ringsForEver(state));
      if (isSilence) expect(state, `seed ${seed}`).toBeOneOf([undefined, 'invited', 'refused', 'ended']);
      else expect(AGREED[outcome], `seed ${seed}: ${outcome}`).toContain(state);

      if (outcome === 'completed') expect(framesSent, `seed ${seed}`).toEqual([100, 100]);
      expect(bench.peer.calls.length, `seed ${seed}`).toBeLessThanOrEqual(1);
      expect(bench.media.events.filter((event) => event.kind === 'play').length).toBeLessThanOrEqual(1);
      bench.expectRest();
    }
  });
});
