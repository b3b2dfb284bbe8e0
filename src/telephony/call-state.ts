import type { Codec } from '../domain/codec.ts';
import { type Outcome, outcomeOfRefusal } from '../domain/outcome.ts';
import type { RemoteMedia } from '../sdp/offer-answer.ts';

/**
 * The life of one outbound call, as a table and a pure step.
 *
 * preparing -> calling -> proceeding -> talking -> ending -> over. `calling` has heard no SIP answer to its INVITE yet,
 * so that it cannot CANCEL (RFC 3261 9.1): a wish to end is kept until an answer comes, or timer B says that none will.
 * A challenge, a redirection or a 422 lead back to it, since the INVITE that follows is another one. `cancelling` waits for the final answer
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
  /** Somebody picked up, if only after the call was given up. */
  readonly wasAnswered: boolean;
  /** For how many seconds the peer that refused wants no further call. */
  readonly retryAfterSeconds: number | null;
}

export type CallInput =
  | { readonly kind: 'prepared' }
  /** No INVITE could be sent. */
  | { readonly kind: 'unprepared'; readonly outcome: Outcome; readonly reason: string }
  | { readonly kind: 'provisional'; readonly status: number }
  /** The first 2xx. */
  | { readonly kind: 'accepted'; readonly status: number; readonly reason: string; readonly answer: Answer }
  /** A refusal after which another INVITE of this attempt can follow. */
  | (Refusal & { readonly kind: 'again' })
  | (Refusal & { readonly kind: 'refused' })
  /** The INVITE transaction ended without a final answer. */
  | { readonly kind: 'unanswered'; readonly reason: string }
  | { readonly kind: 'ring-deadline' }
  /** CANCEL brought no final answer in 64*T1. */
  | { readonly kind: 'abandon' }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'played' }
  /** The voice stopped before the last frame. */
  | { readonly kind: 'media-failed'; readonly reason: string }
  /** In a dialog that is early yet, too: its 2xx was lost. `words` are those of the Reason, if it gave one. */
  | { readonly kind: 'peer-bye'; readonly words: string | null }
  /** The session was not refreshed in time, or it lasted too long. */
  | { readonly kind: 'session-lost'; readonly reason: string }
  | { readonly kind: 'bye-done' }
  /** The user agent closes: one message of farewell, then over. */
  | { readonly kind: 'interrupt' };

interface Refusal {
  readonly status: number;
  readonly reason: string;
  /** Of Q.850, from a gateway. */
  readonly cause: number | null;
  readonly retryAfterSeconds: number | null;
}

/** What the SDP of a 2xx says: where to send the voice, or why that is impossible. */
export type Answer = { readonly media: RemoteMedia } | { readonly problem: string };

export type PlainEffect =
  | 'invite'
  | 'invite-again'
  | 'cancel'
  | 'ack'
  | 'bye'
  | 'stop-media'
  | 'settle'
  | 'report-ringing';
export type CallEffect =
  | { readonly kind: PlainEffect }
  | { readonly kind: 'play'; readonly media: RemoteMedia }
  /** Without a codec if nothing will be played. */
  | { readonly kind: 'report-answered'; readonly codec: Codec | null };

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

const UNHEARD: CallEffect = { kind: 'report-answered', codec: null };

/** Somebody picked up: reported even if it is too late, so that nobody is called a second time. */
const accepted: Cell<'accepted'> = (before, input) => {
  const state = { ...answered(before, input), wasAnswered: true };
  if (state.outcome) return enter('ending', state, 'ack', 'bye', UNHEARD);
  if ('problem' in input.answer) {
    return enter('ending', { ...decide(state, 'failed'), sipReason: input.answer.problem }, 'ack', 'bye', UNHEARD);
  }
  const { media } = input.answer;
  return enter('talking', state, 'ack', { kind: 'play', media }, { kind: 'report-answered', codec: media.codec });
};

const refused: Cell<'refused'> = (before, input) => {
  const state = decide(answered(before, input), outcomeOfRefusal(input.status, input.cause));
  return enter('over', { ...state, retryAfterSeconds: input.retryAfterSeconds }, 'settle');
};

/** The INVITE that follows has heard nothing yet. A call that is to end takes the refusal for its end. */
const again: Cell<'again'> = (state, input) =>
  state.outcome ? refused(state, { ...input, kind: 'refused' }) : enter('calling', state, 'invite-again');

/** Who hangs up had picked up; the INVITE itself is still open. */
const earlyBye: Cell<'peer-bye'> = (state, { words }) =>
  enter('cancelling', { ...decide(withWords(state, words), 'hung_up'), wasAnswered: true }, 'cancel', UNHEARD);

const withWords = (state: CallState, words: string | null): CallState => ({
  ...state,
  sipReason: words ?? state.sipReason,
});

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
    again,
    refused,
    unanswered,
    'ring-deadline': (state) => enter('calling', decide(state, 'no_answer')),
    cancel: (state) => enter('calling', decide(state, 'cancelled')),
    interrupt: (state) => over(state, 'interrupted'),
  },
  proceeding: {
    provisional: (state, { status }) => rung(state, status),
    accepted,
    again,
    refused,
    unanswered,
    'ring-deadline': (state) => enter('cancelling', decide(state, 'no_answer'), 'cancel'),
    cancel: (state) => enter('cancelling', decide(state, 'cancelled'), 'cancel'),
    'peer-bye': earlyBye,
    interrupt: (state) => over(state, 'interrupted', 'cancel'),
  },
  cancelling: {
    accepted,
    again,
    refused,
    unanswered: (state) => over(state, 'cancelled'),
    abandon: (state) => over(state, 'cancelled'),
    'peer-bye': (state) => enter('cancelling', { ...state, wasAnswered: true }, UNHEARD),
    interrupt: (state) => over(state, 'interrupted'),
  },
  talking: {
    played: (state) => enter('ending', decide(state, 'completed'), 'bye'),
    'media-failed': (state, { reason }) => enter('ending', { ...decide(state, 'failed'), sipReason: reason }, 'bye'),
    'peer-bye': (state, { words }) => over(withWords(state, words), 'hung_up'),
    'session-lost': (state, { reason }) =>
      enter('ending', { ...decide(state, 'failed'), sipReason: reason }, 'stop-media', 'bye'),
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
  wasAnswered: false,
  retryAfterSeconds: null,
};

export const stepCall = (state: CallState, input: CallInput): CallStep => {
  const cell = TABLE[state.name][input.kind] as ((state: CallState, input: CallInput) => CallStep) | undefined;
  return cell?.(state, input) ?? { next: state, effects: [] };
};
