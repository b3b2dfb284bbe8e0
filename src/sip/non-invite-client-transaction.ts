import { type ClientInput, clearTimer, deliver, report, type Step, send, setTimer, stay } from './machine.ts';
import type { SipRequest, SipResponse } from './message.ts';
import { withoutContent } from './request.ts';
import { doubledUpToT2, FIRST_RETRANSMIT_MS, T2_MS, TIMER_F_MS, TIMER_K_MS } from './timers.ts';

/**
 * Non-INVITE client transaction over an unreliable transport (RFC 3261 17.1.2, figure 6). An event that a state's row
 * does not name is ignored there.
 */
export interface NonInviteClientState {
  readonly name: 'trying' | 'proceeding' | 'completed' | 'terminated';
  readonly request: SipRequest;
  /** Current interval of timer E. */
  readonly retransmitMs: number;
  /** Whether a lost connection is a reason to send it once more. */
  readonly mayReconnect: boolean;
}

type Event = '1xx' | 'final' | 'hush' | 'connection-lost' | 'timer' | 'transport-error';
type Cell = (state: NonInviteClientState, input: ClientInput) => Step<NonInviteClientState>;

const eventOf = (input: ClientInput): Event => {
  if (input.kind !== 'response') return input.kind;
  return input.response.status < 200 ? '1xx' : 'final';
};

const responseOf = (input: ClientInput): SipResponse => (input as Extract<ClientInput, { kind: 'response' }>).response;
const timerOf = (input: ClientInput): string => (input as Extract<ClientInput, { kind: 'timer' }>).timer;

const provisional: Cell = (state, input) =>
  stay({ ...state, name: 'proceeding', mayReconnect: false }, deliver(responseOf(input)));

const complete: Cell = (state, input) =>
  stay(
    { ...state, name: 'completed', request: withoutContent(state.request) },
    clearTimer('E'),
    clearTimer('F'),
    setTimer('K', TIMER_K_MS),
    deliver(responseOf(input)),
  );

const breaks: Cell = (state) => stay({ ...state, name: 'terminated' }, report('transport-error'));

/** RFC 3261 17.1.2.2: E doubles up to T2 while nothing came, and is T2 once a provisional answer has. */
const waitingTimer: Cell = (state, input) => {
  if (timerOf(input) === 'F') return stay({ ...state, name: 'terminated' }, report('timeout'));
  if (timerOf(input) !== 'E') return stay(state);
  const retransmitMs = state.name === 'proceeding' ? T2_MS : doubledUpToT2(state.retransmitMs);
  return stay({ ...state, retransmitMs }, send(state.request), setTimer('E', retransmitMs));
};

const hush: Cell = (state) => stay({ ...state, mayReconnect: false }, clearTimer('E'));

/** Same branch, so that a peer that has it already takes it for a retransmission (RFC 3261 17.2.3). */
const reconnect: Cell = (state, input) =>
  state.mayReconnect ? stay({ ...state, mayReconnect: false }, send(state.request)) : breaks(state, input);

const waiting = {
  '1xx': provisional,
  final: complete,
  timer: waitingTimer,
  hush,
  'connection-lost': reconnect,
  'transport-error': breaks,
};

const TABLE: Readonly<Record<NonInviteClientState['name'], { readonly [E in Event]?: Cell }>> = {
  trying: waiting,
  proceeding: waiting,
  completed: {
    timer: (state, input) => (timerOf(input) === 'K' ? stay({ ...state, name: 'terminated' }) : stay(state)),
  },
  terminated: {},
};

/** Sends the request. */
export const startNonInviteClient = (request: SipRequest): Step<NonInviteClientState> =>
  stay(
    { name: 'trying', request, retransmitMs: FIRST_RETRANSMIT_MS, mayReconnect: true },
    send(request),
    setTimer('E', FIRST_RETRANSMIT_MS),
    setTimer('F', TIMER_F_MS),
  );

export const stepNonInviteClient = (state: NonInviteClientState, input: ClientInput): Step<NonInviteClientState> =>
  TABLE[state.name][eventOf(input)]?.(state, input) ?? stay(state);
