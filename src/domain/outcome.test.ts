import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OUTCOMES, outcomeOfSipStatus } from './outcome.ts';
import { mayRetry, NO_RETRY, RETRYABLE } from './retry.ts';

const TABLE: readonly [number, string][] = [
  [302, 'unreachable'],
  [401, 'rejected'],
  [403, 'rejected'],
  [404, 'unreachable'],
  [407, 'rejected'],
  [408, 'no_answer'],
  [410, 'unreachable'],
  [420, 'rejected'],
  [480, 'no_answer'],
  [484, 'unreachable'],
  [486, 'busy'],
  [488, 'failed'],
  [500, 'unreachable'],
  [503, 'unreachable'],
  [600, 'busy'],
  [603, 'rejected'],
  [604, 'unreachable'],
  [606, 'failed'],
  [699, 'rejected'],
];

describe('outcomes', () => {
  it.each(TABLE)('a final %i is %s', (status, outcome) => {
    expect(outcomeOfSipStatus(status)).toBe(outcome);
  });

  it('no rule retries an outcome that may follow an answer', () => {
    const rule = { maxAttempts: 99, delaySeconds: 1, on: RETRYABLE };
    for (const outcome of [
      'completed',
      'hung_up',
      'failed',
      'cancelled',
      'interrupted',
      'expired',
      'rejected',
    ] as const) {
      expect(mayRetry(rule, outcome, 1)).toBe(false);
    }
  });

  it('retries what the rule names, up to its number of attempts', () => {
    const rule = { maxAttempts: 3, delaySeconds: 1, on: ['busy'] as const };
    expect([1, 2, 3].map((made) => mayRetry(rule, 'busy', made))).toEqual([true, true, false]);
    expect(mayRetry(rule, 'no_answer', 1)).toBe(false);
    fc.assert(fc.property(fc.constantFrom(...OUTCOMES), (outcome) => !mayRetry(NO_RETRY, outcome, 1)));
  });
});
