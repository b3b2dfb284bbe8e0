import { leadingSeconds } from './delta-seconds.ts';
import { findHeader, type Header, type SipFields } from './message.ts';
import { hasToken } from './option-tags.ts';
import { findParam, parseParams } from './params.ts';

/** How long a dialog lives without a refresh, and who is to refresh it (RFC 4028). */
export interface SessionTimer {
  readonly seconds: number;
  readonly refresher: 'us' | 'them';
}

/** What we ask for; recommended by RFC 4028 4. */
export const ASKED_SECONDS = 1_800;
/** Nobody may ask for less (RFC 4028 4). */
export const LEAST_SECONDS = 90;

type Role = 'uac' | 'uas';

const isRole = (text: string | null | undefined): text is Role => text === 'uac' || text === 'uas';

/** Session-Expires of a message: null if there is none that can be read. */
export const sessionExpiresOf = (
  message: SipFields,
): { readonly seconds: number; readonly refresher: Role | null } | null => {
  const value = findHeader(message, 'Session-Expires');
  const seconds = value === null ? null : leadingSeconds(value);
  if (value === null || seconds === null) return null;
  const params = parseParams(value.includes(';') ? value.slice(value.indexOf(';')) : '') ?? [];
  const role = findParam(params, 'refresher')?.toLowerCase();
  return { seconds, refresher: isRole(role) ? role : null };
};

/** Min-SE of a message, at least the 90 s that it stands for when it is missing. */
export const minSeOf = (message: SipFields): number =>
  Math.max(LEAST_SECONDS, leadingSeconds(findHeader(message, 'Min-SE') ?? '') ?? 0);

export const sessionExpires = (seconds: number, refresher: Role | null = null): Header => ({
  name: 'Session-Expires',
  value: refresher === null ? String(seconds) : `${seconds};refresher=${refresher}`,
});

export const minSe = (seconds: number): Header => ({ name: 'Min-SE', value: String(seconds) });

/** What a 2xx to a request of ours agreed on (RFC 4028 7.2): no Session-Expires, no timer. */
export const timerOfAnswer = (response: SipFields): SessionTimer | null => {
  const agreed = sessionExpiresOf(response);
  if (!agreed) return null;
  // Less than the least we may be held to would make us refresh in haste: it is taken for the least.
  return {
    seconds: Math.max(agreed.seconds, LEAST_SECONDS),
    refresher: agreed.refresher === 'uas' ? 'them' : 'us',
  };
};

export type JudgedTimer =
  | { readonly ok: true; readonly timer: SessionTimer | null; readonly headers: readonly Header[] }
  /** To be refused with 422 and our Min-SE. */
  | { readonly ok: false };

/**
 * Judges a re-INVITE or UPDATE of the peer (RFC 4028 9). Who refreshes now goes on doing so, unless the request names
 * another.
 */
export const timerOfRequest = (request: SipFields, current: SessionTimer | null): JudgedTimer => {
  const asked = sessionExpiresOf(request);
  if (!asked) return { ok: true, timer: null, headers: [] };
  if (asked.seconds < LEAST_SECONDS) return { ok: false };
  const role: Role = asked.refresher ?? (current?.refresher === 'us' ? 'uas' : 'uac');
  const isKnown = hasToken(request, 'Supported', 'timer');
  const require: readonly Header[] = isKnown && role === 'uac' ? [{ name: 'Require', value: 'timer' }] : [];
  return {
    ok: true,
    timer: { seconds: asked.seconds, refresher: role === 'uac' ? 'them' : 'us' },
    headers: [sessionExpires(asked.seconds, role), ...require],
  };
};

/** The refresher sends at half the time (RFC 4028 7.2). */
export const refreshAfterMs = ({ seconds }: SessionTimer): number => seconds * 500;

/** When the call is given up: a third of the time, but at most 32 s, before it is over (RFC 4028 10). */
export const expireAfterMs = ({ seconds }: SessionTimer): number => (seconds - Math.min(32, seconds / 3)) * 1_000;
