import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ASK_S,
  FIRST_RETRY_MS,
  LONGEST_RETRY_MS,
  NEW_REGISTRATION,
  type RegistrationInput,
  type RegistrationState,
  stepRegistration,
} from './registration.ts';

const granted = (expiresS: number, fraction = 0): RegistrationInput => ({ kind: 'granted', expiresS, fraction });
const failed = (retryAfterS: number | null = null, fraction = 0): RegistrationInput => ({
  kind: 'failed',
  retryAfterS,
  fraction,
});
const brief = (minExpiresS: number): RegistrationInput => ({ kind: 'too-brief', minExpiresS, fraction: 0 });
const START: RegistrationInput = { kind: 'start' };
const WAKE: RegistrationInput = { kind: 'wake' };
const LEAVE: RegistrationInput = { kind: 'leave' };

/** The state after the inputs, and the effects of the last. */
const after = (...inputs: readonly RegistrationInput[]) =>
  inputs.reduce((step, input) => stepRegistration(step.next, input), stepRegistration(NEW_REGISTRATION, WAKE));
const effectsOf = (...inputs: readonly RegistrationInput[]) =>
  after(...inputs).effects.map((effect) => Object.values(effect).join(' '));

/** A way into each state. */
const PATHS: Readonly<Record<RegistrationState['name'], readonly RegistrationInput[]>> = {
  unregistered: [],
  registering: [START],
  registered: [START, granted(600)],
  refreshing: [START, granted(600), WAKE],
  waiting: [START, failed()],
  finishing: [START, LEAVE],
  leaving: [START, granted(600), LEAVE],
  over: [LEAVE],
};
const INPUTS = { start: START, granted: granted(600), brief: brief(900), failed: failed(), wake: WAKE, leave: LEAVE };

/** Where each input leads; what is not named stays. */
const CELLS: Readonly<Record<RegistrationState['name'], Partial<Record<keyof typeof INPUTS, string>>>> = {
  unregistered: { start: 'registering', leave: 'over' },
  registering: { granted: 'registered', brief: 'registering', failed: 'waiting', leave: 'finishing' },
  registered: { wake: 'refreshing', leave: 'leaving' },
  refreshing: { granted: 'registered', brief: 'refreshing', failed: 'waiting', leave: 'finishing' },
  waiting: { wake: 'registering', leave: 'over' },
  finishing: { granted: 'leaving', brief: 'over', failed: 'over' },
  leaving: { granted: 'over', brief: 'over', failed: 'over' },
  over: {},
};

describe.each(Object.keys(PATHS) as RegistrationState['name'][])('%s', (name) => {
  test.each(Object.keys(INPUTS) as (keyof typeof INPUTS)[])('%s', (input) => {
    const { next } = after(...PATHS[name]);
    expect(next.name).toBe(name);
    const step = stepRegistration(next, INPUTS[input]);
    const expected = CELLS[name][input];
    expect(step.next.name).toBe(expected ?? name);
    if (expected === undefined) expect(step).toEqual({ next, effects: [] });
  });
});

test('a registration is refreshed after half to six tenths of what was granted', () => {
  expect(effectsOf(START)).toEqual([`register ${ASK_S}`]);
  expect(effectsOf(START, granted(60))).toEqual(['wake-after 30000']);
  expect(effectsOf(START, granted(60, 1))).toEqual(['wake-after 36000']);
  expect(effectsOf(START, granted(60), WAKE)).toEqual([`register ${ASK_S}`]);
  expect(effectsOf(START, granted(0))).toEqual(['wake-after 5000']);
  expect(effectsOf(START, granted(1e9))).toEqual([`wake-after ${ASK_S * 500}`]);
});

test('423 is asked again with the least, once for each more (RFC 3261 10.2.8)', () => {
  expect(effectsOf(START, brief(900))).toEqual(['register 900']);
  expect(effectsOf(START, brief(900), granted(900), WAKE)).toEqual(['register 900']);
  expect(after(START, brief(900), brief(900)).next.name).toBe('waiting');
  expect(after(START, brief(1e9)).next.name).toBe('waiting');
});

test('failures are waited for longer and longer, to a bound, by chance up to half', () => {
  const waits = Array.from({ length: 9 }, (_, nth) =>
    effectsOf(START, ...Array.from({ length: nth }, () => [failed(), WAKE]).flat(), failed()),
  );
  expect(waits.flat()).toEqual(
    [5, 10, 20, 40, 80, 160, 300, 300, 300].map((seconds) => `wake-after ${1000 * seconds}`),
  );
  expect(effectsOf(START, failed(null, 0.999))).toEqual([`wake-after ${FIRST_RETRY_MS * 0.5005}`]);
  expect(effectsOf(START, failed(120))).toEqual(['wake-after 120000']);
  expect(effectsOf(START, failed(86_400))).toEqual(['wake-after 3600000']);
  expect(LONGEST_RETRY_MS).toBe(300_000);
  expect(after(START, failed(), WAKE, granted(600)).next.failures).toBe(0);
});

test('leaving takes back what was granted, after the answer to what is under way', () => {
  expect(effectsOf(START, granted(600), LEAVE)).toEqual(['stop-waiting', 'register 0']);
  expect(effectsOf(START, LEAVE)).toEqual([]);
  expect(effectsOf(START, LEAVE, granted(600))).toEqual(['stop-waiting', 'register 0']);
  expect(effectsOf(START, granted(600), WAKE, LEAVE, failed())).toEqual(['stop-waiting', 'register 0']);
  expect(effectsOf(START, granted(600), WAKE, failed(), WAKE, failed(), LEAVE)).toEqual(['stop-waiting', 'register 0']);
});

test('there is never more than one REGISTER under way, and always a timer or an answer to wait for', () => {
  const input = fc.constantFrom(START, granted(60), brief(900), failed(), WAKE, LEAVE);
  fc.assert(
    fc.property(fc.array(input), (inputs) => {
      let state = NEW_REGISTRATION;
      let underWay = 0;
      let hasTimer = false;
      for (const next of inputs) {
        const isAnswer = ['granted', 'too-brief', 'failed'].includes(next.kind);
        // The surroundings answer what is under way, and wake what waits.
        if ((isAnswer && underWay === 0) || (next.kind === 'wake' && !hasTimer)) continue;
        if (isAnswer) underWay -= 1;
        if (next.kind === 'wake') hasTimer = false;
        const step = stepRegistration(state, next);
        state = step.next;
        for (const { kind } of step.effects) {
          if (kind === 'register') underWay += 1;
          else hasTimer = kind === 'wake-after';
        }
        expect(underWay).toBeLessThanOrEqual(1);
        const isIdle = state.name === 'unregistered' || state.name === 'over';
        expect(Number(hasTimer) + underWay).toBe(isIdle ? 0 : 1);
      }
    }),
  );
});
