import { createHash } from 'node:crypto';
import { isToken, quote, splitOutsideQuotes } from './grammar.ts';

/**
 * Digest authentication as a client does it (RFC 7616, and RFC 8760 for SIP). Quoted values are kept and hashed as they
 * are on the wire, escapes included: so RFC 7616 3.4.2 defines unq(), and an echo can then never differ from its source.
 */
export interface Challenge {
  readonly realm: string;
  readonly nonce: string;
  readonly opaque: string | null;
  readonly algorithm: Algorithm;
  /** Null is the form of RFC 2069: without nonce count and cnonce. */
  readonly qop: 'auth' | null;
  /** The credentials were right and the nonce too old. */
  readonly isStale: boolean;
}

/** Weakest first. The `-sess` variants are not among them: nobody in SIP asks for them alone. */
const HASHES = { MD5: 'md5', 'SHA-256': 'sha256', 'SHA-512-256': 'sha512-256' } as const;
export type Algorithm = keyof typeof HASHES;
const WEAKEST_FIRST = Object.keys(HASHES) as readonly Algorithm[];

const SCHEME = /^([^\s=",]+)(?:[ \t]+([^=\s][\s\S]*))?$/;
const QUOTED = /^"((?:[^"\\]|\\[\s\S])*)"$/;

type AuthParams = Map<string, string>;

/** The value as it stands between its quotes, or a token; null if it is neither. */
const rawValue = (text: string): string | null => QUOTED.exec(text)?.[1] ?? (isToken(text) ? text : null);

/** Reads `name=value` into `params`; false if it is malformed or said twice. */
const readParam = (params: AuthParams, text: string): boolean => {
  const equals = text.indexOf('=');
  const name = text.slice(0, Math.max(equals, 0)).trim().toLowerCase();
  const value = rawValue(text.slice(equals + 1).trim());
  if (!isToken(name) || value === null || params.has(name)) return false;
  params.set(name, value);
  return true;
};

const algorithmOf = (name: string | undefined): Algorithm | null => {
  if (name === undefined) return 'MD5';
  return WEAKEST_FIRST.find((known) => known === name.toUpperCase()) ?? null;
};

/** RFC 7616 demands qop; only MD5 has the older form without it. Undefined if we speak none of what is offered. */
const qopOf = (offered: string | undefined, algorithm: Algorithm): Challenge['qop'] | undefined => {
  if (offered === undefined) return algorithm === 'MD5' ? null : undefined;
  return offered.split(',').some((option) => option.trim().toLowerCase() === 'auth') ? 'auth' : undefined;
};

const challengeOf = (params: AuthParams): Challenge | null => {
  const [realm, nonce, algorithm] = [params.get('realm'), params.get('nonce'), algorithmOf(params.get('algorithm'))];
  if (realm === undefined || nonce === undefined || algorithm === null) return null;
  const qop = qopOf(params.get('qop'), algorithm);
  if (qop === undefined) return null;
  const isStale = params.get('stale')?.toLowerCase() === 'true';
  return { realm, nonce, opaque: params.get('opaque') ?? null, algorithm, qop, isStale };
};

interface Draft {
  readonly isDigest: boolean;
  readonly params: AuthParams;
  isBroken: boolean;
}

/**
 * The digest challenges of one WWW-Authenticate or Proxy-Authenticate value that can be answered, in their order. What
 * is of another scheme, of an unknown algorithm or malformed is left out. Never throws.
 */
export const parseChallenges = (value: string): readonly Challenge[] => {
  const drafts: Draft[] = [];
  for (const part of (splitOutsideQuotes(value, ',') ?? []).map((text) => text.trim())) {
    const [, scheme, first = ''] = SCHEME.exec(part) ?? [];
    if (scheme !== undefined) {
      drafts.push({ isDigest: scheme.toLowerCase() === 'digest', params: new Map(), isBroken: false });
    }
    const draft = drafts.at(-1);
    const param = scheme === undefined ? part : first;
    if (draft && param !== '' && !readParam(draft.params, param)) draft.isBroken = true;
  }
  return drafts
    .filter(({ isDigest, isBroken }) => isDigest && !isBroken)
    .map(({ params }) => challengeOf(params))
    .filter((challenge) => challenge !== null);
};

/** The challenge with the strongest algorithm, the first of equals; null if there is none. */
export const strongestOf = (challenges: readonly Challenge[]): Challenge | null =>
  challenges.reduce<Challenge | null>((best, next) => {
    const isStronger = best === null || WEAKEST_FIRST.indexOf(next.algorithm) > WEAKEST_FIRST.indexOf(best.algorithm);
    return isStronger ? next : best;
  }, null);

export interface DigestInput {
  readonly challenge: Challenge;
  readonly username: string;
  readonly password: string;
  readonly method: string;
  /** The Request-URI as it is on the wire. */
  readonly uri: string;
  /** How often the nonce has been used, this time included. */
  readonly nonceCount: number;
  readonly cnonce: string;
}

const asWritten = (text: string): string => quote(text).slice(1, -1);
const nonceCountText = (count: number): string => count.toString(16).padStart(8, '0');

/** The `response` of RFC 7616 3.4.1, in lower-case hex. */
export const digestResponse = (input: DigestInput): string => {
  const { challenge } = input;
  const hash = (...parts: readonly string[]): string =>
    createHash(HASHES[challenge.algorithm]).update(parts.join(':')).digest('hex');
  const secret = hash(asWritten(input.username), challenge.realm, input.password);
  const request = hash(input.method, input.uri);
  return challenge.qop === null
    ? hash(secret, challenge.nonce, request)
    : hash(secret, challenge.nonce, nonceCountText(input.nonceCount), input.cnonce, challenge.qop, request);
};

/** Value of Authorization or Proxy-Authorization (RFC 7616 3.4, RFC 3261 25.1). */
export const digestCredentials = (input: DigestInput): string => {
  const { realm, nonce, opaque, algorithm, qop } = input.challenge;
  const parts = [
    `username=${quote(input.username)}`,
    `realm="${realm}"`,
    `nonce="${nonce}"`,
    `uri=${quote(input.uri)}`,
    `response="${digestResponse(input)}"`,
    `algorithm=${algorithm}`,
    ...(qop === null ? [] : [`qop=${qop}`, `nc=${nonceCountText(input.nonceCount)}`, `cnonce=${quote(input.cnonce)}`]),
    ...(opaque === null ? [] : [`opaque="${opaque}"`]),
  ];
  return `Digest ${parts.join(', ')}`;
};
