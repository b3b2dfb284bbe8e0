import type { Outcome } from './outcome.ts';

/** Outcomes after which a rule may ask for another attempt. An answered call is never among them. */
export const RETRYABLE = ['busy', 'no_answer', 'unreachable'] as const;
export type RetryableOutcome = (typeof RETRYABLE)[number];

export interface RetryRule {
  readonly maxAttempts: number;
  readonly delaySeconds: number;
  readonly on: readonly RetryableOutcome[];
}

export const NO_RETRY: RetryRule = { maxAttempts: 1, delaySeconds: 60, on: [] };

/** Whether `attemptsMade` attempts, the last of which ended in `outcome`, are to be followed by another. */
export const mayRetry = (rule: RetryRule, outcome: Outcome, attemptsMade: number): boolean =>
  attemptsMade < rule.maxAttempts && rule.on.some((retryable) => retryable === outcome);
