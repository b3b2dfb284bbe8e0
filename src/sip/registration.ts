/**
 * A registration that is kept alive (RFC 3261 10.2), as a table and a pure step.
 *
 * unregistered -> registering -> registered -> refreshing -> registered, and so on. A failure leads to `waiting`, from
 * where it is tried again. `finishing` waits for the answer to a REGISTER before the one that takes it back is sent:
 * there is never more than one at a time (10.2). An input that a state's row does not name is ignored there.
 */
export interface RegistrationState {
  readonly name:
    | 'unregistered'
    | 'registering'
    | 'registered'
    | 'refreshing'
    | 'waiting'
    | 'finishing'
    | 'leaving'
    | 'over';
  /** For how long we ask; a 423 raises it. */
  readonly askS: number;
  /** In a row. */
  readonly failures: number;
  /** Whether it was ever granted, so that there is something to take back. */
  readonly isBound: boolean;
}

/** `fraction` is random, of 0 to below 1, so that many do not come at the same moment. */
export type RegistrationInput =
  | { readonly kind: 'start' }
  | { readonly kind: 'granted'; readonly expiresS: number; readonly fraction: number }
  /** 423 with the least that the registrar takes. */
  | { readonly kind: 'too-brief'; readonly minExpiresS: number; readonly fraction: number }
  | { readonly kind: 'failed'; readonly retryAfterS: number | null; readonly fraction: number }
  | { readonly kind: 'wake' }
  | { readonly kind: 'leave' };

export type RegistrationEffect =
  /** Sends a REGISTER; 0 takes the registration back (10.2.2). */
  | { readonly kind: 'register'; readonly expiresS: number }
  /** Wakes the machine after so long; a later one replaces it. */
  | { readonly kind: 'wake-after'; readonly afterMs: number }
  | { readonly kind: 'stop-waiting' };

export interface RegistrationStep {
  readonly next: RegistrationState;
  readonly effects: readonly RegistrationEffect[];
}

export const ASK_S = 600;
/** No registrar makes us ask for more, or wait longer for the next try. */
const MOST_ASK_S = 86_400;
const MOST_RETRY_AFTER_S = 3_600;
/** However little is granted, we come no sooner. */
const LEAST_REFRESH_MS = 5_000;
export const FIRST_RETRY_MS = 5_000;
export const LONGEST_RETRY_MS = 300_000;

type Cell<K extends RegistrationInput['kind']> = (
  state: RegistrationState,
  input: Extract<RegistrationInput, { kind: K }>,
) => RegistrationStep;
type Row = { readonly [K in RegistrationInput['kind']]?: Cell<K> };

const enter = (
  name: RegistrationState['name'],
  state: RegistrationState,
  ...effects: readonly RegistrationEffect[]
): RegistrationStep => ({ next: { ...state, name }, effects });

const ask = (name: 'registering' | 'refreshing', state: RegistrationState): RegistrationStep =>
  enter(name, state, { kind: 'register', expiresS: state.askS });

const takeBack = (state: RegistrationState): RegistrationStep =>
  enter('leaving', state, { kind: 'stop-waiting' }, { kind: 'register', expiresS: 0 });

/** Half to six tenths of what was granted: time enough for one more try, whatever its timers. */
const granted: Cell<'granted'> = (state, { expiresS, fraction }) => {
  const heldMs = 1000 * Math.min(expiresS, state.askS);
  const afterMs = Math.max(LEAST_REFRESH_MS, heldMs * (0.5 + 0.1 * fraction));
  return enter('registered', { ...state, failures: 0, isBound: true }, { kind: 'wake-after', afterMs });
};

/** The wait doubles with each failure; up to half of it is left to chance. A registrar that names a time gets it. */
const failed: Cell<'failed'> = (state, { retryAfterS, fraction }) => {
  const backoffMs = Math.min(FIRST_RETRY_MS * 2 ** Math.min(state.failures, 10), LONGEST_RETRY_MS);
  const wantedMs = 1000 * Math.min(retryAfterS ?? 0, MOST_RETRY_AFTER_S);
  const afterMs = Math.max(backoffMs * (1 - 0.5 * fraction), wantedMs);
  return enter('waiting', { ...state, failures: state.failures + 1 }, { kind: 'wake-after', afterMs });
};

/** RFC 3261 10.2.8: at once with the time that is wanted, unless that is no more than what was asked for. */
const tooBrief =
  (name: 'registering' | 'refreshing'): Cell<'too-brief'> =>
  (state, { minExpiresS, fraction }) => {
    const isMore = minExpiresS > state.askS && minExpiresS <= MOST_ASK_S;
    return isMore
      ? ask(name, { ...state, askS: minExpiresS })
      : failed(state, { kind: 'failed', retryAfterS: null, fraction });
  };

const asking = (name: 'registering' | 'refreshing'): Row => ({
  granted,
  'too-brief': tooBrief(name),
  failed,
  leave: (state) => enter('finishing', state),
});

const over = (state: RegistrationState): RegistrationStep => enter('over', state, { kind: 'stop-waiting' });

const takeBackIfBound = (state: RegistrationState): RegistrationStep => (state.isBound ? takeBack(state) : over(state));

const TABLE: Readonly<Record<RegistrationState['name'], Row>> = {
  unregistered: { start: (state) => ask('registering', state), leave: over },
  registering: asking('registering'),
  registered: { wake: (state) => ask('refreshing', state), leave: takeBack },
  refreshing: asking('refreshing'),
  waiting: {
    wake: (state) => ask(state.isBound ? 'refreshing' : 'registering', state),
    leave: takeBackIfBound,
  },
  finishing: {
    granted: takeBack,
    failed: takeBackIfBound,
    'too-brief': takeBackIfBound,
  },
  leaving: { granted: over, failed: over, 'too-brief': over },
  over: {},
};

export const NEW_REGISTRATION: RegistrationState = { name: 'unregistered', askS: ASK_S, failures: 0, isBound: false };

export const stepRegistration = (state: RegistrationState, input: RegistrationInput): RegistrationStep => {
  const cell = TABLE[state.name][input.kind] as
    | ((state: RegistrationState, input: RegistrationInput) => RegistrationStep)
    | undefined;
  return cell?.(state, input) ?? { next: state, effects: [] };
};
