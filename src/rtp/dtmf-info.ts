/** A key pressed at the other end, told by SIP INFO. */
export interface InfoDigit {
  /** `0` to `9`, `*`, `#`, `A` to `D`. */
  readonly digit: string;
  /** How long it was held; null if that is not said. */
  readonly durationMs: number | null;
}

const MAX_BODY_BYTES = 1_024;
const MAX_DURATION_MS = 60_000;
/** Some write the number of the event instead of the key. */
const BY_NUMBER: Readonly<Record<string, string>> = {
  '10': '*',
  '11': '#',
  '12': 'A',
  '13': 'B',
  '14': 'C',
  '15': 'D',
};

const digitOf = (signal: string): string | null => {
  const digit = BY_NUMBER[signal] ?? signal.toUpperCase();
  return /^[0-9*#A-D]$/.test(digit) ? digit : null;
};

const fieldOf = (text: string, name: string): string | null =>
  new RegExp(`^[ \\t]*${name}[ \\t]*=[ \\t]*([^ \\t\\r\\n]+)[ \\t]*$`, 'im').exec(text)?.[1] ?? null;

const readRelay = (text: string): InfoDigit | null => {
  const digit = digitOf(fieldOf(text, 'signal') ?? '');
  const duration = fieldOf(text, 'duration') ?? '';
  const durationMs = /^[0-9]{1,6}$/.test(duration) ? Math.min(Number(duration), MAX_DURATION_MS) : null;
  return digit === null ? null : { digit, durationMs };
};

const readPlain = (text: string): InfoDigit | null => {
  const digit = digitOf(text.trim());
  return digit === null ? null : { digit, durationMs: null };
};

/**
 * Reads the body of an INFO request: `application/dtmf-relay` (`Signal=5`, `Duration=160`) or `application/dtmf` (the
 * key alone). Neither is a standard; this is what gateways send. Null if it is neither, or no key. Never throws.
 */
export const readDtmfInfo = (contentType: string, body: Uint8Array): InfoDigit | null => {
  const type = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  if (body.length > MAX_BODY_BYTES) return null;
  const text = new TextDecoder().decode(body);
  if (type === 'application/dtmf-relay') return readRelay(text);
  return type === 'application/dtmf' ? readPlain(text) : null;
};
