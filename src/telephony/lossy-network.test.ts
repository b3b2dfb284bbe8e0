import { describe, expect, test } from 'vitest';
import type { PeerScript } from '../../test/support/peer-script.ts';
import type { Misfortune } from '../../test/support/seeded-network.ts';
import type { PeerCallState } from '../../test/support/sip-peer.ts';
import { createTelephonyBench } from '../../test/support/telephony-bench.ts';
import type { Outcome } from '../domain/outcome.ts';

const SEEDS = 10_000;
const STORM: Omit<Misfortune, 'seed'> = { loss: 0.3, duplication: 0.15, delayMs: [5, 600] };

interface Scenario {
  readonly name: string;
  readonly script: PeerScript;
  readonly ringTimeoutMs?: number;
  readonly cancelAfterMs?: number;
  /** Whether the peer may go on ringing when the call is over for us. */
  readonly mayRingOn?: boolean;
}

const SCENARIOS: readonly Scenario[] = [
  { name: 'answered', script: { tryingAfterMs: 0, ringAfterMs: 200, answerAfterMs: 3_000 } },
  { name: 'answered at once', script: { answerAfterMs: 0 } },
  { name: 'busy', script: { tryingAfterMs: 0, refuse: { status: 486, afterMs: 500 } } },
  { name: 'declined late', script: { ringAfterMs: 0, refuse: { status: 603, afterMs: 20_000 } } },
  { name: 'hung up with the ACK', script: { answerAfterMs: 200, hangUpAfterMs: 0 } },
  { name: 'hung up early', script: { ringAfterMs: 0, answerAfterMs: 1_000, hangUpAfterMs: 1_500 } },
  { name: 'BYE near BYE', script: { ringAfterMs: 0, answerAfterMs: 1_000, hangUpAfterMs: 4_000 } },
  { name: 'never answered', script: { ringAfterMs: 100 }, ringTimeoutMs: 20_000 },
  { name: 'answer near the ring time-out', script: { ringAfterMs: 100, answerAfterMs: 10_000 }, ringTimeoutMs: 10_300 },
  { name: 'cancelled while ringing', script: { ringAfterMs: 100 }, cancelAfterMs: 6_000 },
  { name: 'cancelled near the answer', script: { ringAfterMs: 100, answerAfterMs: 5_000 }, cancelAfterMs: 5_200 },
  {
    name: 'rung for ever, CANCEL of no effect',
    script: { ringAfterMs: 100, isDeafToCancel: true },
    ringTimeoutMs: 10_000,
    mayRingOn: true,
  },
  { name: 'cancelled near the INVITE', script: { ringAfterMs: 0, answerAfterMs: 900 }, cancelAfterMs: 300 },
];

/** What the called party may believe at rest, for each outcome of ours: never that the call goes on. */
const AGREED: Readonly<Partial<Record<Outcome, readonly PeerCallState[]>>> = {
  completed: ['ended'],
  hung_up: ['ended'],
  busy: ['refused'],
  rejected: ['refused'],
  no_answer: ['cancelled', 'ended'],
  cancelled: ['cancelled', 'ended'],
};

const SEEDS_EACH = Math.ceil(SEEDS / SCENARIOS.length);

const ringsForEver = (state: PeerCallState | undefined): boolean => state === undefined || state === 'invited';

/** Nothing of ours was heard, or nothing came back while timer B ran: then the peer may still ring, no more. */
const isSilence = (outcome: Outcome, state: PeerCallState | undefined): boolean =>
  outcome === 'unreachable' || (outcome === 'cancelled' && ringsForEver(state));

const expectAgreement = (
  scenario: Scenario,
  outcome: Outcome,
  state: PeerCallState | undefined,
  seed: number,
): void => {
  if (isSilence(outcome, state)) expect(state, `seed ${seed}`).toBeOneOf([undefined, 'invited', 'refused', 'ended']);
  else if (scenario.mayRingOn) expect([outcome, state], `seed ${seed}`).toEqual(['no_answer', 'invited']);
  else expect(AGREED[outcome], `seed ${seed}: ${outcome}`).toContain(state);
};

describe.each(SCENARIOS)('$name, over a network that loses, repeats and reorders', (scenario) => {
  test(`${SEEDS_EACH} seeds: no stuck state, both sides agree`, async () => {
    let silences = 0;
    for (let i = 0; i < SEEDS_EACH; i++) {
      const seed = 1_000 * SCENARIOS.indexOf(scenario) + i;
      const bench = createTelephonyBench({ script: scenario.script, misfortune: { ...STORM, seed } });
      const placed = bench.place({ frames: [100, 100], ringTimeoutMs: scenario.ringTimeoutMs ?? 45_000 });
      if (scenario.cancelAfterMs !== undefined)
        bench.clock.wakeAfter(scenario.cancelAfterMs, () => placed.call.cancel());
      const { outcome, framesSent } = await bench.finish(placed);
      const state = bench.peer.calls[0]?.state;
      expectAgreement(scenario, outcome, state, seed);
      if (isSilence(outcome, state)) silences += 1;
      if (outcome === 'completed') expect(framesSent, `seed ${seed}`).toEqual([100, 100]);
      expect(bench.peer.calls.length, `seed ${seed}`).toBeLessThanOrEqual(1);
      expect(bench.media.events.filter((event) => event.kind === 'play').length).toBeLessThanOrEqual(1);
      bench.expectRest();
    }
    expect(silences).toBeLessThan(SEEDS_EACH / 10);
  });
});
