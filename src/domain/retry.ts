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

/** What a rule needs to know of an attempt that has ended. */
export interface EndedTry {
  readonly outcome: Outcome;
  readonly sipStatus: number | null;
  /** A phone rang. */
  readonly rang: boolean;
  /** Somebody picked up, if only too late. */
  readonly answered: boolean;
  /** The blast is active. */
  readonly isWanted: boolean;
  /** Attempts made, without those that went on to the next trunk. */
  readonly attemptsMade: number;
  /** Trunks of the network after the one that was tried. */
  readonly trunksLeft: number;
  /** What the peer asked for; 0 if nothing. */
  readonly retryAfterSeconds: number;
}

export type NextStep =
  | { readonly kind: 'over' }
  /** At once, over the trunks that are left. Not counted as an attempt of the rule. */
  | { readonly kind: 'next_trunk' }
  | { readonly kind: 'wait'; readonly delaySeconds: number };

const OVER: NextStep = { kind: 'over' };

/**
 * What follows an attempt. Never another one after an answer. A trunk that could not carry the call, before any phone
 * rang, is followed by the next one, whatever the rule; what was heard of the phone itself is left to the rule, whose
 * delay is the longer of its own and what the peer asked for.
 */
export const nextStep = (rule: RetryRule, ended: EndedTry): NextStep => {
  if (ended.answered || !ended.isWanted) return OVER;
  if (ended.trunksLeft > 0 && failedAtTrunk(ended)) return { kind: 'next_trunk' };
  const mayRetry = ended.attemptsMade < rule.maxAttempts && rule.on.some((retryable) => retryable === ended.outcome);
  return mayRetry ? { kind: 'wait', delaySeconds: Math.max(rule.delaySeconds, ended.retryAfterSeconds) } : OVER;
};

/** No SIP answer at all, or a failure of the server (RFC 3261 21.5): it says nothing of the phone. */
const failedAtTrunk = ({ outcome, sipStatus, rang }: EndedTry): boolean =>
  outcome === 'unreachable' && !rang && (sipStatus === null || (sipStatus >= 500 && sipStatus < 600));
