import { type ClientInput, clearTimer, deliver, report, type Step, send, setTimer, stay } from './machine.ts';
import type { SipRequest, SipResponse } from './message.ts';
import { ackOfRefusal, withoutContent } from './request.ts';
import { FIRST_RETRANSMIT_MS, TIMER_B_MS, TIMER_D_MS, TIMER_M_MS } from './timers.ts';

/**
 * INVITE client transaction over an unreliable transport (RFC 3261 17.1.1, figure 5, with the Accepted state of
 * RFC 6026). An event that a state's row does not name is ignored there.
 */
export interface InviteClientState {
  readonly name: 'calling' | 'proceeding' | 'accepted' | 'completed' | 'terminated';
  readonly request: SipRequest;
  /** Current interval of timer A. */
  readonly retransmitMs: number;
  /** Whether a lost connection is a reason to send it once more. */
  readonly mayReconnect: boolean;
}

type Event = '1xx' | '2xx' | '3xx-6xx' | 'hush' | 'connection-lost' | 'timer' | 'transport-error';
type Cell = (state: InviteClientState, input: ClientInput) => Step<InviteClientState>;

const eventOf = (input: ClientInput): Event => {
  if (input.kind !== 'response') return input.kind;
  if (input.response.status < 200) return '1xx';
  return input.response.status < 300 ? '2xx' : '3xx-6xx';
};

const responseOf = (input: ClientInput): SipResponse => (input as Extract<ClientInput, { kind: 'response' }>).response;
const timerOf = (input: ClientInput): string => (input as Extract<ClientInput, { kind: 'timer' }>).timer;

const provisional: Cell = (state, input) =>
  stay({ ...state, name: 'proceeding' }, clearTimer('A'), clearTimer('B'), deliver(responseOf(input)));

const accept: Cell = (state, input) =>
  stay(
    { ...state, name: 'accepted', request: withoutContent(state.request) },
    clearTimer('A'),
    clearTimer('B'),
    setTimer('M', TIMER_M_MS),
    deliver(responseOf(input)),
  );

const complete: Cell = (state, input) =>
  stay(
    { ...state, name: 'completed', request: withoutContent(state.request) },
    clearTimer('A'),
    clearTimer('B'),
    send(ackOfRefusal(state.request, responseOf(input))),
    setTimer('D', TIMER_D_MS),
    deliver(responseOf(input)),
  );

const breaks: Cell = (state) => stay({ ...state, name: 'terminated' }, report('transport-error'));

/** Same branch, so that a peer that has it already takes it for a retransmission (RFC 3261 17.2.3). */
const reconnect: Cell = (state, input) =>
  state.mayReconnect ? stay({ ...state, mayReconnect: false }, send(state.request)) : breaks(state, input);

/** RFC 3261 17.1.1.2: timer A doubles without a cap; B ends the waiting. */
const callingTimer: Cell = (state, input) => {
  if (timerOf(input) === 'B') return stay({ ...state, name: 'terminated' }, report('timeout'));
  if (timerOf(input) !== 'A') return stay(state);
  const retransmitMs = 2 * state.retransmitMs;
  return stay({ ...state, retransmitMs }, send(state.request), setTimer('A', retransmitMs));
};

const endsOn =
  (timer: string): Cell =>
  (state, input) =>
    timerOf(input) === timer ? stay({ ...state, name: 'terminated' }) : stay(state);

const TABLE: Readonly<Record<InviteClientState['name'], { readonly [E in Event]?: Cell }>> = {
  calling: {
    '1xx': provisional,
    '2xx': accept,
    '3xx-6xx': complete,
    hush: (state) => stay({ ...state, mayReconnect: false }, clearTimer('A')),
    'connection-lost': reconnect,
    timer: callingTimer,
    'transport-error': breaks,
  },
  proceeding: { '1xx': provisional, '2xx': accept, '3xx-6xx': complete },
  accepted: {
    '2xx': (state, input) => stay(state, deliver(responseOf(input))),
    timer: endsOn('M'),
  },
  completed: {
    '3xx-6xx': (state, input) => stay(state, send(ackOfRefusal(state.request, responseOf(input)))),
    timer: endsOn('D'),
    'transport-error': breaks,
  },
  terminated: {},
};

/** Sends the INVITE. */
export const startInviteClient = (request: SipRequest): Step<InviteClientState> =>
  stay(
    { name: 'calling', request, retransmitMs: FIRST_RETRANSMIT_MS, mayReconnect: true },
    send(request),
    setTimer('A', FIRST_RETRANSMIT_MS),
    setTimer('B', TIMER_B_MS),
  );

export const stepInviteClient = (state: InviteClientState, input: ClientInput): Step<InviteClientState> =>
  TABLE[state.name][eventOf(input)]?.(state, input) ?? stay(state);
