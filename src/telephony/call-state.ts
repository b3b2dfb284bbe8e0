import { type Outcome, outcomeOfSipStatus } from '../domain/outcome.ts';
import type { RemoteMedia } from '../sdp/offer-answer.ts';

/**
 * The life of one outbound call, as a table and a pure step.
 *
 * preparing -> calling -> proceeding -> talking -> ending -> over. `calling` has heard no SIP answer to its INVITE yet,
 * so that it cannot CANCEL (RFC 3261 9.1): a wish to end is kept until an answer comes, or timer B says that none will.
 * A challenge leads back to it, since the INVITE with credentials is another one. `cancelling` waits for the final answer
 * that a CANCEL brings, `ending` for the answer to our BYE. An input that a state's row does not name is ignored there.
 */
export interface CallState {
  readonly name: 'preparing' | 'calling' | 'proceeding' | 'cancelling' | 'talking' | 'ending' | 'over';
  /** The first cause to end the call is its outcome. */
  readonly outcome: Outcome | null;
  readonly hasRung: boolean;
  /** Of the final answer, if there was one. */
  readonly sipStatus: number | null;
  /** Its reason phrase, or a sentence of our own that says what went wrong. */
  readonly sipReason: string | null;
}

export type CallInput =
  | { readonly kind: 'prepared' }
  /** No INVITE could be sent. */
  | { readonly kind: 'unprepared'; readonly outcome: Outcome; readonly reason: string }
  | { readonly kind: 'provisional'; readonly status: number }
  /** The first 2xx. */
  | { readonly kind: 'accepted'; readonly status: number; readonly reason: string; readonly answer: Answer }
  /** A challenge that can be answered. */
  | { readonly kind: 'challenged'; readonly status: number; readonly reason: string }
  | { readonly kind: 'refused'; readonly status: number; readonly reason: string }
  /** The INVITE transaction ended without a final answer. */
  | { readonly kind: 'unanswered'; readonly reason: string }
  | { readonly kind: 'ring-deadline' }
  /** CANCEL brought no final answer in 64*T1. */
  | { readonly kind: 'abandon' }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'played' }
  /** The voice stopped before the last frame. */
  | { readonly kind: 'media-failed'; readonly reason: string }
  | { readonly kind: 'peer-bye' }
  | { readonly kind: 'bye-done' }
  /** The user agent closes: one message of farewell, then over. */
  | { readonly kind: 'interrupt' };

/** What the SDP of a 2xx says: where to send the voice, or why that is impossible. */
export type Answer = { readonly media: RemoteMedia } | { readonly problem: string };

export type PlainEffect =
  | 'invite'
  | 'authenticate'
  | 'cancel'
  | 'ack'
  | 'bye'
  | 'stop-media'
  | 'settle'
  | 'report-ringing';
export type CallEffect =
  | { readonly kind: PlainEffect }
  | { readonly kind: 'play' | 'report-answered'; readonly media: RemoteMedia };

export interface CallStep {
  readonly next: CallState;
  readonly effects: readonly CallEffect[];
}

type Cell<K extends CallInput['kind']> = (state: CallState, input: Extract<CallInput, { kind: K }>) => CallStep;
type Row = { readonly [K in CallInput['kind']]?: Cell<K> };

const enter = (
  name: CallState['name'],
  state: CallState,
  ...effects: readonly (CallEffect | PlainEffect)[]
): CallStep => ({
  next: { ...state, name },
  effects: effects.map((effect) => (typeof effect === 'string' ? { kind: effect } : effect)),
});

const decide = (state: CallState, outcome: Outcome): CallState => ({ ...state, outcome: state.outcome ?? outcome });

const answered = (state: CallState, input: { readonly status: number; readonly reason: string }): CallState => ({
  ...state,
  sipStatus: input.status,
  sipReason: input.reason,
});

const rung = (state: CallState, status: number): CallStep =>
  status > 100 && !state.hasRung
    ? enter('proceeding', { ...state, hasRung: true }, 'report-ringing')
    : enter('proceeding', state);

const problemOf = (answer: Answer): string | null => {
  if ('problem' in answer) return answer.problem;
  const isDeaf = answer.media.direction === 'sendonly' || answer.media.direction === 'inactive';
  return isDeaf ? `The peer's SDP says that it does not listen (${answer.media.direction}).` : null;
};

const accepted: Cell<'accepted'> = (before, input) => {
  const state = answered(before, input);
  const problem = problemOf(input.answer);
  if (state.outcome) return enter('ending', state, 'ack', 'bye');
  if (problem !== null || !('media' in input.answer)) {
    return enter('ending', { ...decide(state, 'failed'), sipReason: problem }, 'ack', 'bye');
  }
  const { media } = input.answer;
  return enter('talking', state, 'ack', { kind: 'play', media }, { kind: 'report-answered', media });
};

const refused: Cell<'refused'> = (state, input) =>
  enter('over', answered(decide(state, outcomeOfSipStatus(input.status)), input), 'settle');

/** The INVITE with credentials has heard nothing yet. A call that is to end takes the challenge for its end. */
const challenged: Cell<'challenged'> = (state, input) =>
  state.outcome ? refused(state, { ...input, kind: 'refused' }) : enter('calling', state, 'authenticate');

/** No SIP answer at all is `unreachable`, which wins over the ring time-out but not over a cancellation. */
const unanswered: Cell<'unanswered'> = (state, { reason }) => {
  const outcome = state.outcome === 'cancelled' ? 'cancelled' : 'unreachable';
  return enter('over', { ...state, outcome, sipReason: reason }, 'settle');
};

const over = (state: CallState, outcome: Outcome, ...farewell: readonly PlainEffect[]): CallStep =>
  enter('over', decide(state, outcome), ...farewell, 'settle');

const TABLE: Readonly<Record<CallState['name'], Row>> = {
  preparing: {
    prepared: (state) => enter('calling', state, 'invite'),
    unprepared: (state, { outcome, reason }) => over({ ...state, sipReason: reason }, outcome),
    cancel: (state) => over(state, 'cancelled'),
    interrupt: (state) => over(state, 'interrupted'),
  },
  calling: {
    provisional: (state, { status }) => (state.outcome ? enter('cancelling', state, 'cancel') : rung(state, status)),
    accepted,
    challenged,
    refused,
    unanswered,
    'ring-deadline': (state) => enter('calling', decide(state, 'no_answer')),
    cancel: (state) => enter('calling', decide(state, 'cancelled')),
    interrupt: (state) => over(state, 'interrupted'),
  },
  proceeding: {
    provisional: (state, { status }) => rung(state, status),
    accepted,
    challenged,
    refused,
    unanswered,
    'ring-deadline': (state) => enter('cancelling', decide(state, 'no_answer'), 'cancel'),
    cancel: (state) => enter('cancelling', decide(state, 'cancelled'), 'cancel'),
    interrupt: (state) => over(state, 'interrupted', 'cancel'),
  },
  cancelling: {
    accepted,
    challenged,
    refused,
    unanswered: (state) => over(state, 'cancelled'),
    abandon: (state) => over(state, 'cancelled'),
    interrupt: (state) => over(state, 'interrupted'),
  },
  talking: {
    played: (state) => enter('ending', decide(state, 'completed'), 'bye'),
    'media-failed': (state, { reason }) => enter('ending', { ...decide(state, 'failed'), sipReason: reason }, 'bye'),
    'peer-bye': (state) => over(state, 'hung_up'),
    cancel: (state) => enter('ending', decide(state, 'cancelled'), 'stop-media', 'bye'),
    interrupt: (state) => over(state, 'interrupted', 'bye'),
  },
  ending: {
    'bye-done': (state) => enter('over', state, 'settle'),
    interrupt: (state) => enter('over', state, 'settle'),
  },
  over: {},
};

export const NEW_CALL: CallState = {
  name: 'preparing',
  outcome: null,
  hasRung: false,
  sipStatus: null,
  sipReason: null,
};

export const stepCall = (state: CallState, input: CallInput): CallStep => {
  const cell = TABLE[state.name][input.kind] as ((state: CallState, input: CallInput) => CallStep) | undefined;
  return cell?.(state, input) ?? { next: state, effects: [] };
};
