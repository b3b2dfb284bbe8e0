import type { SipMessage, SipRequest, SipResponse } from './message.ts';

export type TimerName = 'A' | 'B' | 'D' | 'E' | 'F' | 'G' | 'H' | 'I' | 'J' | 'K' | 'L' | 'M' | 'resend' | 'abandon';

/** What a state machine asks its surroundings to do. */
export type Effect =
  | { readonly kind: 'send'; readonly message: SipMessage }
  /** Hand it to the transaction user. */
  | { readonly kind: 'deliver'; readonly message: SipMessage }
  | { readonly kind: 'report'; readonly failure: Failure }
  /** Starts the timer anew if it runs. */
  | { readonly kind: 'set-timer'; readonly timer: TimerName; readonly afterMs: number }
  | { readonly kind: 'clear-timer'; readonly timer: TimerName };

export type Failure = 'timeout' | 'transport-error';

export interface Step<State> {
  readonly next: State;
  readonly effects: readonly Effect[];
}

export type TimerInput = { readonly kind: 'timer'; readonly timer: TimerName };
export type TransportErrorInput = { readonly kind: 'transport-error' };
export type ClientInput =
  | { readonly kind: 'response'; readonly response: SipResponse }
  /** The request is not to be repeated any more; its answers are still heard. */
  | { readonly kind: 'hush' }
  /** The connection that it was sent on is gone. */
  | { readonly kind: 'connection-lost' }
  | TimerInput
  | TransportErrorInput;
export type ServerInput =
  /** A request that matches the transaction: a retransmission, or the ACK. */
  | { readonly kind: 'request'; readonly request: SipRequest }
  /** The transaction user answers. */
  | { readonly kind: 'answer'; readonly response: SipResponse }
  | TimerInput
  | TransportErrorInput;

export const send = (message: SipMessage): Effect => ({ kind: 'send', message });
export const deliver = (message: SipMessage): Effect => ({ kind: 'deliver', message });
export const report = (failure: Failure): Effect => ({ kind: 'report', failure });
export const setTimer = (timer: TimerName, afterMs: number): Effect => ({ kind: 'set-timer', timer, afterMs });
export const clearTimer = (timer: TimerName): Effect => ({ kind: 'clear-timer', timer });

/** A step that changes nothing. */
export const stay = <State>(state: State, ...effects: readonly Effect[]): Step<State> => ({ next: state, effects });
