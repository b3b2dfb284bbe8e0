import { expireAfterMs, refreshAfterMs, type SessionTimer } from './session-timer.ts';

/**
 * Keeping a session alive (RFC 4028), as a table and a pure step. `off` has no timer agreed; `kept` waits for the time
 * to refresh, or for the peer to do so; `refreshing` has asked and waits for the answer; `over` has given up. An input
 * that a state's row does not name is ignored there.
 */
export interface RefreshState {
  readonly name: 'off' | 'kept' | 'refreshing' | 'over';
}

export type RefreshInput =
  /** An answer to us, or ours to the peer: what holds from now on, null for no timer. */
  | { readonly kind: 'agreed'; readonly timer: SessionTimer | null }
  /** Our request was refused; it is to be tried again so much later, or never. */
  | { readonly kind: 'refused'; readonly againAfterMs: number | null }
  /** 408, 481 or no answer: the peer has lost the dialog (RFC 4028 10). */
  | { readonly kind: 'lost' }
  | { readonly kind: 'refresh-due' | 'expired' | 'ended' };

export type RefreshEffect =
  | { readonly kind: 'refresh' | 'give-up' | 'clear-timers' }
  | { readonly kind: 'wait-refresh' | 'wait-expiry'; readonly afterMs: number };

export interface RefreshStep {
  readonly next: RefreshState;
  readonly effects: readonly RefreshEffect[];
}

type Row = {
  readonly [K in RefreshInput['kind']]?: (input: Extract<RefreshInput, { kind: K }>) => RefreshStep;
};

const enter = (name: RefreshState['name'], ...effects: readonly RefreshEffect[]): RefreshStep => ({
  next: { name },
  effects,
});

const agreed = ({ timer }: Extract<RefreshInput, { kind: 'agreed' }>): RefreshStep => {
  if (!timer) return enter('off', { kind: 'clear-timers' });
  const expiry: RefreshEffect = { kind: 'wait-expiry', afterMs: expireAfterMs(timer) };
  const refresh: RefreshEffect = { kind: 'wait-refresh', afterMs: refreshAfterMs(timer) };
  return enter('kept', { kind: 'clear-timers' }, expiry, ...(timer.refresher === 'us' ? [refresh] : []));
};

const refused = ({ againAfterMs }: Extract<RefreshInput, { kind: 'refused' }>): RefreshStep =>
  againAfterMs === null ? enter('kept') : enter('kept', { kind: 'wait-refresh', afterMs: againAfterMs });

const giveUp = (): RefreshStep => enter('over', { kind: 'clear-timers' }, { kind: 'give-up' });
const ended = (): RefreshStep => enter('over', { kind: 'clear-timers' });

const TABLE: Readonly<Record<RefreshState['name'], Row>> = {
  off: { agreed, ended },
  kept: { agreed, 'refresh-due': () => enter('refreshing', { kind: 'refresh' }), expired: giveUp, ended },
  refreshing: { agreed, refused, lost: giveUp, expired: giveUp, ended },
  over: {},
};

export const NO_SESSION_TIMER: RefreshState = { name: 'off' };

export const stepRefresh = (state: RefreshState, input: RefreshInput): RefreshStep => {
  const cell = TABLE[state.name][input.kind] as ((input: RefreshInput) => RefreshStep) | undefined;
  return cell?.(input) ?? { next: state, effects: [] };
};
