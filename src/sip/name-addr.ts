import { endOfQuoted, quote, unquote } from './grammar.ts';
import { findParam, type Params, parseParams, serializeParams, setParam } from './params.ts';
import { parseUri, serializeUri, type Uri } from './uri.ts';

/** An address of From, To, Contact, Route or Record-Route (RFC 3261 20.10). */
export interface NameAddr {
  /** Unquoted; null if there is none. */
  readonly display: string | null;
  readonly uri: Uri;
  /** Of the header, not of the URI. */
  readonly params: Params;
}

export const nameAddr = (uri: Uri, params: Params = [], display: string | null = null): NameAddr => ({
  display,
  uri,
  params,
});

export const tagOf = (address: NameAddr): string | null => findParam(address.params, 'tag') ?? null;

export const withTag = (address: NameAddr, tag: string): NameAddr => ({
  ...address,
  params: setParam(address.params, 'tag', tag),
});

export const withoutTag = (address: NameAddr): NameAddr => ({
  ...address,
  params: address.params.filter(([name]) => name.toLowerCase() !== 'tag'),
});

const build = (display: string | null, uriText: string, paramText: string): NameAddr | null => {
  const uri = parseUri(uriText);
  const params = parseParams(paramText);
  return uri && params ? { display, uri, params } : null;
};

/** Index of the `<`, and the display name before it. Null if the display name is malformed. */
const parseDisplay = (text: string): { readonly display: string | null; readonly bracket: number } | null => {
  if (text.startsWith('"')) {
    const end = endOfQuoted(text, 0);
    const bracket = end < 0 ? -1 : text.indexOf('<', end);
    if (bracket < 0 || text.slice(end + 1, bracket).trim() !== '') return null;
    return { display: unquote(text.slice(0, end + 1)), bracket };
  }
  const bracket = text.indexOf('<');
  const words = text.slice(0, bracket).trim();
  return /[",]/.test(words) ? null : { display: words === '' ? null : words, bracket };
};

/** `uri;params`: all parameters are the header's, and a URI with a question mark needs brackets (RFC 3261 20.10). */
const parseBare = (text: string): NameAddr | null => {
  const semicolon = text.indexOf(';');
  const uri = semicolon < 0 ? text : text.slice(0, semicolon).trimEnd();
  return uri.includes('?') ? null : build(null, uri, semicolon < 0 ? '' : text.slice(semicolon));
};

/** Reads `"Name" <uri>;params` or `uri;params`. Null if malformed. */
export const parseNameAddr = (source: string): NameAddr | null => {
  const text = source.trim();
  if (!text.includes('<')) return parseBare(text);
  const head = parseDisplay(text);
  if (!head) return null;
  const end = text.indexOf('>', head.bracket);
  return end < 0 ? null : build(head.display, text.slice(head.bracket + 1, end), text.slice(end + 1));
};

/** Writes an address, always with angle brackets, its display name always quoted. */
export const serializeNameAddr = (address: NameAddr): string => {
  const display = address.display === null ? '' : `${quote(address.display)} `;
  return `${display}<${serializeUri(address.uri)}>${serializeParams(address.params)}`;
};
