import { findHeaders, type SipFields } from './message.ts';

/** Values of a header that is a list of tokens (`Supported`, `Require`, `Allow`), white space and empty ones dropped. */
export const tokensOf = (message: SipFields, name: string): readonly string[] =>
  findHeaders(message, name)
    .flatMap((value) => value.split(','))
    .map((token) => token.trim())
    .filter((token) => token !== '');

/** Whether the list holds an option tag, letter case ignored as RFC 3261 7.3.1 asks. */
export const hasToken = (message: SipFields, name: string, token: string): boolean =>
  tokensOf(message, name).some((known) => known.toLowerCase() === token.toLowerCase());
