import { findHeader, type SipFields } from './message.ts';

/** Nobody is waited for longer than a day: it is the most that a peer's number of seconds is taken for. */
export const MOST_SECONDS = 86_400;

/** Reads the delta-seconds that a value begins with (RFC 3261 25.1), cut at a day; null if it begins with none. */
export const leadingSeconds = (value: string): number | null => {
  const digits = /^[0-9]+(?![^\s;(,])/.exec(value.trim())?.[0];
  return digits === undefined ? null : Math.min(Number(digits), MOST_SECONDS);
};

/** Seconds of Retry-After (RFC 3261 20.33), its comment and parameters ignored; null if there are none. */
export const retryAfterOf = (message: SipFields): number | null => {
  const value = findHeader(message, 'Retry-After');
  return value === null ? null : leadingSeconds(value);
};
