import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { OUTCOMES } from './outcome.ts';
import { type EndedTry, NO_RETRY, nextStep, RETRYABLE, type RetryRule } from './retry.ts';

const RULE: RetryRule = { maxAttempts: 3, delaySeconds: 60, on: RETRYABLE };
const ended = (changes: Partial<EndedTry>): EndedTry => ({
  outcome: 'busy',
  sipStatus: 486,
  rang: false,
  answered: false,
  isWanted: true,
  attemptsMade: 1,
  trunksLeft: 0,
  retryAfterSeconds: 0,
  ...changes,
});
const unreachable = { outcome: 'unreachable', sipStatus: null, trunksLeft: 1 } as const;

test.each([
  ['waits as the rule says', {}, 'wait'],
  ['gives up after the last attempt of the rule', { attemptsMade: 3 }, 'over'],
  ['gives up when the blast was cancelled', { isWanted: false }, 'over'],
  ['goes to the next trunk if there was no SIP answer at all', unreachable, 'next_trunk'],
  ['goes to the next trunk after 503', { ...unreachable, sipStatus: 503 }, 'next_trunk'],
  ['goes to the next trunk though the rule allows no more attempts', { ...unreachable, attemptsMade: 3 }, 'next_trunk'],
  ['waits if there is no further trunk', { ...unreachable, trunksLeft: 0 }, 'wait'],
  ['waits if the number does not exist', { ...unreachable, sipStatus: 404 }, 'wait'],
  ['waits if the phone has rung', { ...unreachable, rang: true }, 'wait'],
  ['stays with the trunk if the phone was busy', { trunksLeft: 3 }, 'wait'],
  ['goes nowhere after an answer', { ...unreachable, answered: true }, 'over'],
] as const)('%s', (_, changes, kind) => {
  expect(nextStep(RULE, ended(changes)).kind).toBe(kind);
});

describe('retry', () => {
  it.each([
    [0, 60],
    [59, 60],
    [90, 90],
  ])('after a Retry-After of %i s waits %i s', (retryAfterSeconds, delaySeconds) => {
    expect(nextStep(RULE, ended({ retryAfterSeconds }))).toEqual({ kind: 'wait', delaySeconds });
  });

  const tries = fc.record({
    outcome: fc.constantFrom(...OUTCOMES),
    sipStatus: fc.option(fc.integer({ min: 300, max: 699 })),
    rang: fc.boolean(),
    answered: fc.boolean(),
    isWanted: fc.boolean(),
    attemptsMade: fc.integer({ min: 1, max: 12 }),
    trunksLeft: fc.integer({ min: 0, max: 3 }),
    retryAfterSeconds: fc.integer({ min: 0, max: 86_400 }),
  });

  it('never calls again what was answered, is not wanted, or ended in an outcome that is not retryable', () => {
    fc.assert(
      fc.property(tries, (each) => {
        const over = nextStep({ ...RULE, maxAttempts: 10 }, each).kind === 'over';
        const final = each.answered || !each.isWanted || !RETRYABLE.some((outcome) => outcome === each.outcome);
        return over || !final;
      }),
    );
  });

  it('without a rule goes nowhere but to the next trunk', () => {
    fc.assert(fc.property(tries, (each) => nextStep(NO_RETRY, each).kind !== 'wait'));
  });
});
