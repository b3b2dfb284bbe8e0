import { clearTimer, deliver, report, type ServerInput, type Step, send, setTimer, stay } from './machine.ts';
import type { SipResponse } from './message.ts';
import { doubledUpToT2, FIRST_RETRANSMIT_MS, TIMER_H_MS, TIMER_I_MS, TIMER_J_MS, TIMER_L_MS } from './timers.ts';

/**
 * INVITE and non-INVITE server transactions over an unreliable transport (RFC 3261 17.2.1 and 17.2.2, figures 7 and 8,
 * with the Accepted state of RFC 6026). An event that a state's row does not name is ignored there.
 */

export interface InviteServerState {
  readonly name: 'proceeding' | 'accepted' | 'completed' | 'confirmed' | 'terminated';
  /** The last one sent. */
  readonly response: SipResponse | null;
  /** Current interval of timer G. */
  readonly retransmitMs: number;
}

export interface NonInviteServerState {
  readonly name: 'trying' | 'proceeding' | 'completed' | 'terminated';
  readonly response: SipResponse | null;
}

type Event = 'request' | 'ack' | '1xx' | '2xx' | '3xx-6xx' | 'timer' | 'transport-error';
type Table<State extends { readonly name: string }> = Readonly<
  Record<State['name'], { readonly [E in Event]?: (state: State, input: ServerInput) => Step<State> }>
>;

const eventOf = (input: ServerInput): Event => {
  if (input.kind === 'request') return input.request.method === 'ACK' ? 'ack' : 'request';
  if (input.kind !== 'answer') return input.kind;
  if (input.response.status < 200) return '1xx';
  return input.response.status < 300 ? '2xx' : '3xx-6xx';
};

const responseOf = (input: ServerInput): SipResponse => (input as Extract<ServerInput, { kind: 'answer' }>).response;
const timerOf = (input: ServerInput): string => (input as Extract<ServerInput, { kind: 'timer' }>).timer;

const repeat = <State extends { readonly response: SipResponse | null }>(state: State): Step<State> =>
  state.response ? stay(state, send(state.response)) : stay(state);

const inviteEnds = (state: InviteServerState): Step<InviteServerState> => stay({ ...state, name: 'terminated' });
const inviteBreaks = (state: InviteServerState): Step<InviteServerState> =>
  stay({ ...state, name: 'terminated' }, report('transport-error'));

const inviteCompletedTimer = (state: InviteServerState, input: ServerInput): Step<InviteServerState> => {
  if (timerOf(input) === 'H') return stay({ ...state, name: 'terminated' }, report('timeout'));
  if (timerOf(input) !== 'G') return stay(state);
  const retransmitMs = doubledUpToT2(state.retransmitMs);
  const again = repeat({ ...state, retransmitMs });
  return stay(again.next, ...again.effects, setTimer('G', retransmitMs));
};

const INVITE: Table<InviteServerState> = {
  proceeding: {
    request: repeat,
    '1xx': (state, input) => stay({ ...state, response: responseOf(input) }, send(responseOf(input))),
    '2xx': (state, input) =>
      stay(
        { ...state, name: 'accepted', response: responseOf(input) },
        send(responseOf(input)),
        setTimer('L', TIMER_L_MS),
      ),
    '3xx-6xx': (state, input) =>
      stay(
        { ...state, name: 'completed', response: responseOf(input) },
        send(responseOf(input)),
        setTimer('G', state.retransmitMs),
        setTimer('H', TIMER_H_MS),
      ),
    'transport-error': inviteBreaks,
  },
  accepted: {
    // Repeating the 2xx is the transaction user's work, end to end: a repeated INVITE is only absorbed here.
    ack: (state, input) => stay(state, deliver((input as Extract<ServerInput, { kind: 'request' }>).request)),
    '2xx': (state, input) => stay({ ...state, response: responseOf(input) }, send(responseOf(input))),
    timer: (state, input) => (timerOf(input) === 'L' ? inviteEnds(state) : stay(state)),
    'transport-error': (state) => stay(state, report('transport-error')),
  },
  completed: {
    request: repeat,
    ack: (state) => stay({ ...state, name: 'confirmed' }, clearTimer('G'), clearTimer('H'), setTimer('I', TIMER_I_MS)),
    timer: inviteCompletedTimer,
    'transport-error': inviteBreaks,
  },
  confirmed: {
    timer: (state, input) => (timerOf(input) === 'I' ? inviteEnds(state) : stay(state)),
  },
  terminated: {},
};

const provisional = (_state: NonInviteServerState, input: ServerInput): Step<NonInviteServerState> =>
  stay({ name: 'proceeding', response: responseOf(input) }, send(responseOf(input)));
const final = (_state: NonInviteServerState, input: ServerInput): Step<NonInviteServerState> =>
  stay({ name: 'completed', response: responseOf(input) }, send(responseOf(input)), setTimer('J', TIMER_J_MS));
const nonInviteBreaks = (state: NonInviteServerState): Step<NonInviteServerState> =>
  stay({ ...state, name: 'terminated' }, report('transport-error'));

const NON_INVITE: Table<NonInviteServerState> = {
  trying: { '1xx': provisional, '2xx': final, '3xx-6xx': final, 'transport-error': nonInviteBreaks },
  proceeding: {
    request: repeat,
    '1xx': provisional,
    '2xx': final,
    '3xx-6xx': final,
    'transport-error': nonInviteBreaks,
  },
  completed: {
    request: repeat,
    timer: (state, input) => (timerOf(input) === 'J' ? stay({ ...state, name: 'terminated' }) : stay(state)),
    'transport-error': nonInviteBreaks,
  },
  terminated: {},
};

/** A transaction just created by an INVITE, which the caller has handed to its transaction user. */
export const startInviteServer = (): Step<InviteServerState> =>
  stay({ name: 'proceeding', response: null, retransmitMs: FIRST_RETRANSMIT_MS });

/** A transaction just created by another request than INVITE or ACK. */
export const startNonInviteServer = (): Step<NonInviteServerState> => stay({ name: 'trying', response: null });

export const stepInviteServer = (state: InviteServerState, input: ServerInput): Step<InviteServerState> =>
  INVITE[state.name][eventOf(input)]?.(state, input) ?? stay(state);

export const stepNonInviteServer = (state: NonInviteServerState, input: ServerInput): Step<NonInviteServerState> =>
  NON_INVITE[state.name][eventOf(input)]?.(state, input) ?? stay(state);
