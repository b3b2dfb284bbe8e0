import { ALPHANUMERIC, charSet, consistsOf, isHost, parseHostPort } from './grammar.ts';
import type { Param, Params } from './params.ts';

/** A `sip:` or `sips:` URI (RFC 3261 19.1). `user` is as on the wire, escapes and password included. */
export interface SipUri {
  readonly scheme: 'sip' | 'sips';
  readonly user: string | null;
  /** IPv6 addresses keep their brackets. */
  readonly host: string;
  readonly port: number | null;
  readonly params: Params;
  /** What follows the question mark, as on the wire. */
  readonly headers: string | null;
}

/** Any other absolute URI, such as `tel:+15551230000`: carried, never understood. */
export interface OtherUri {
  readonly scheme: string;
  readonly rest: string;
}

export type Uri = SipUri | OtherUri;

const USER = /^(?:[A-Za-z0-9\-_.!~*'()&=+$,;?/:]|%[0-9A-Fa-f]{2})+$/;
const UNESCAPED_USER = charSet(`${ALPHANUMERIC}-_.!~*'()&=+$,;?/:`);
const URI_PARAM = /^(?:[A-Za-z0-9\-_.!~*'()[\]/:&+$]|%[0-9A-Fa-f]{2})+$/;
const URI_HEADERS = /^(?:[A-Za-z0-9\-_.!~*'()[\]/?:+$&=]|%[0-9A-Fa-f]{2})+$/;
const OTHER = /^([A-Za-z][A-Za-z0-9+.-]*):([\x21\x23-\x3b\x3d\x3f-\x7e]+)$/;

/** Most users have no escapes, and need no regular expression. */
const isUser = (text: string): boolean => consistsOf(UNESCAPED_USER, text) || USER.test(text);

export const isSipUri = (uri: Uri): uri is SipUri => uri.scheme === 'sip' || uri.scheme === 'sips';

/** A SIP URI of plain parts; what the grammar does not allow in them is escaped when it is written. */
export const sipUri = (parts: {
  user?: string | null;
  host: string;
  port?: number | null;
  params?: Params;
}): SipUri => ({
  scheme: 'sip',
  user: parts.user ?? null,
  host: parts.host,
  port: parts.port ?? null,
  params: parts.params ?? [],
  headers: null,
});

const parseUriParam = (text: string): Param | null => {
  const equals = text.indexOf('=');
  const name = equals < 0 ? text : text.slice(0, equals);
  const value = equals < 0 ? null : text.slice(equals + 1);
  if (!URI_PARAM.test(name) || (value && !URI_PARAM.test(value))) return null;
  return [name.toLowerCase(), value];
};

/** Reads `a=1;b`. Null if it is malformed. */
const parseUriParams = (text: string): Params | null => {
  const params = text.split(';').map(parseUriParam);
  return params.includes(null) ? null : (params as Param[]);
};

const NO_PARAMS: Params = [];

const parseSipUri = (scheme: 'sip' | 'sips', rest: string): SipUri | null => {
  const at = rest.indexOf('@');
  const user = at < 0 ? null : rest.slice(0, at);
  if (user !== null && !isUser(user)) return null;
  const question = rest.indexOf('?', at + 1);
  const headers = question < 0 ? null : rest.slice(question + 1);
  if (headers !== null && !URI_HEADERS.test(headers)) return null;
  const beforeHeaders = question < 0 ? rest.slice(at + 1) : rest.slice(at + 1, question);
  const semicolon = beforeHeaders.indexOf(';');
  const hostPort = semicolon < 0 ? beforeHeaders : beforeHeaders.slice(0, semicolon);
  const address = parseHostPort(hostPort);
  const params = semicolon < 0 ? NO_PARAMS : parseUriParams(beforeHeaders.slice(semicolon + 1));
  if (!address || !params) return null;
  return { scheme, user, host: address.host, port: address.port, params, headers };
};

/** Reads a URI, or returns null. White space anywhere in it makes it malformed. */
export const parseUri = (text: string): Uri | null => {
  const colon = text.indexOf(':');
  const scheme = text.slice(0, Math.max(colon, 0)).toLowerCase();
  if (scheme === 'sip' || scheme === 'sips') return parseSipUri(scheme, text.slice(colon + 1));
  const match = OTHER.exec(text);
  return match ? { scheme, rest: match[2] as string } : null;
};

const escapeOctets = (char: string): string =>
  Array.from(new TextEncoder().encode(char), (octet) => `%${octet.toString(16).toUpperCase().padStart(2, '0')}`).join(
    '',
  );

/** Percent-encodes every character that `allowed` refuses; well-formed escapes stay as they are. */
const escapeUnless = (allowed: RegExp, text: string): string =>
  allowed.test(text)
    ? text
    : text
        .toWellFormed()
        .replace(/%[0-9A-Fa-f]{2}|[\s\S]/gu, (part) => (allowed.test(part) ? part : escapeOctets(part)));

const serializeUriParam = ([name, value]: Param): string =>
  `;${escapeUnless(URI_PARAM, name)}${value === null ? '' : `=${value === '' ? '' : escapeUnless(URI_PARAM, value)}`}`;

const serializeSipUri = (uri: SipUri): string => {
  const user = uri.user ? `${escapeUnless(USER, uri.user)}@` : '';
  const host = isHost(uri.host) ? uri.host : 'invalid.invalid';
  const port = uri.port === null ? '' : `:${uri.port}`;
  const headers = uri.headers ? `?${escapeUnless(URI_HEADERS, uri.headers)}` : '';
  return `${uri.scheme}:${user}${host}${port}${uri.params.map(serializeUriParam).join('')}${headers}`;
};

/** Writes a URI. No part can leave its place: what the grammar forbids is escaped. */
export const serializeUri = (uri: Uri): string =>
  isSipUri(uri)
    ? serializeSipUri(uri)
    : `${uri.scheme}:${escapeUnless(/^[\x21\x23-\x3b\x3d\x3f-\x7e]+$/, (uri as OtherUri).rest)}`;

const without = (uri: SipUri, names: readonly string[]): SipUri => ({
  ...uri,
  params: uri.params.filter(([name]) => !names.includes(name)),
  headers: null,
});

/** The URI as a Request-URI: without what RFC 3261 19.1.1 table 1 forbids there. */
export const asRequestUri = (uri: Uri): Uri => (isSipUri(uri) ? without(uri, ['method']) : uri);

/** The URI as To or From names it: without the parameters that say how a request travels (RFC 3261 19.1.1 table 1). */
export const asLogicalUri = (uri: SipUri): SipUri => without(uri, ['method', 'transport', 'maddr', 'ttl', 'lr']);

/** Host without the brackets of an IPv6 address: what sockets and resolvers take. */
export const bareHost = (host: string): string => (host.startsWith('[') ? host.slice(1, -1) : host);

/** Host of a URI or Via for an address: IPv6 addresses get brackets. */
export const bracketHost = (address: string): string => (address.includes(':') ? `[${address}]` : address);
