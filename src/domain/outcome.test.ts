import { describe, expect, it } from 'vitest';
import { outcomeOfSipStatus } from './outcome.ts';

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
});
