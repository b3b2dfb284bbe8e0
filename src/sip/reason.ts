import { isToken, quote, splitOutsideQuotes, unquote } from './grammar.ts';
import { findHeaders, type Header, type SipFields } from './message.ts';
import { findParam, parseParams } from './params.ts';

/** Why a request or a refusal was sent (RFC 3326 2). */
export interface Reason {
  /** Upper case: `Q.850`, `SIP`. */
  readonly protocol: string;
  readonly cause: number | null;
  readonly text: string | null;
}

const parseReason = (value: string): Reason | null => {
  const text = value.trim();
  const semicolon = text.indexOf(';');
  const protocol = (semicolon < 0 ? text : text.slice(0, semicolon)).trim();
  const params = parseParams(semicolon < 0 ? '' : text.slice(semicolon));
  if (!isToken(protocol) || !params) return null;
  const cause = findParam(params, 'cause') ?? '';
  const words = findParam(params, 'text') ?? null;
  return {
    protocol: protocol.toUpperCase(),
    cause: /^[0-9]{1,3}$/.test(cause) ? Number(cause) : null,
    text: words?.startsWith('"') ? unquote(words) : words,
  };
};

/** The reasons of a message, malformed ones left out. */
export const reasonsOf = (message: SipFields): readonly Reason[] =>
  findHeaders(message, 'Reason')
    .flatMap((value) => splitOutsideQuotes(value, ',') ?? [])
    .map(parseReason)
    .filter((reason) => reason !== null);

/** Cause of ITU-T Q.850, which a gateway took from the telephone network; null if the message names none. */
export const q850CauseOf = (message: SipFields): number | null =>
  reasonsOf(message).find(({ protocol, cause }) => protocol === 'Q.850' && cause !== null)?.cause ?? null;

/** `Q.850 17: User busy` for people; null if the message has no reason. */
export const reasonWords = (message: SipFields): string | null => {
  const words = reasonsOf(message).map(({ protocol, cause, text }) =>
    [cause === null ? protocol : `${protocol} ${cause}`, text]
      .filter((part) => part !== null && part !== '')
      .join(': '),
  );
  return words.length === 0 ? null : words.join(', ');
};

export const q850Header = (cause: number, text: string): Header => ({
  name: 'Reason',
  value: `Q.850;cause=${cause};text=${quote(text)}`,
});
