import { clearTimer, report, type Step, send, setTimer, stay, type TimerName } from './machine.ts';
import type { SipResponse } from './message.ts';
import { ABANDON_MS, doubledUpToT2, T1_MS } from './timers.ts';

/**
 * What a UAS does after it accepted an INVITE: it repeats the 2xx until the ACK comes, and gives up after 64*T1
 * (RFC 3261 13.3.1.4). A failure reported here means: end the dialog with BYE.
 */
export interface AcceptedInviteState {
  readonly name: 'waiting' | 'acknowledged' | 'terminated';
  readonly response: SipResponse;
  readonly retransmitMs: number;
}

export type AcceptedInviteInput =
  | { readonly kind: 'ack' }
  | { readonly kind: 'timer'; readonly timer: TimerName }
  | { readonly kind: 'transport-error' };

/** Starts with the 2xx already sent by the server transaction. */
export const startAcceptedInvite = (response: SipResponse): Step<AcceptedInviteState> =>
  stay({ name: 'waiting', response, retransmitMs: T1_MS }, setTimer('resend', T1_MS), setTimer('abandon', ABANDON_MS));

const resend = (state: AcceptedInviteState): Step<AcceptedInviteState> => {
  const retransmitMs = doubledUpToT2(state.retransmitMs);
  return stay({ ...state, retransmitMs }, send(state.response), setTimer('resend', retransmitMs));
};

export const stepAcceptedInvite = (
  state: AcceptedInviteState,
  input: AcceptedInviteInput,
): Step<AcceptedInviteState> => {
  if (state.name !== 'waiting' || input.kind === 'transport-error') return stay(state);
  if (input.kind === 'ack') {
    return stay({ ...state, name: 'acknowledged' }, clearTimer('resend'), clearTimer('abandon'));
  }
  if (input.timer === 'resend') return resend(state);
  return input.timer === 'abandon' ? stay({ ...state, name: 'terminated' }, report('timeout')) : stay(state);
};
