import type { SipResponse } from '../sip/message.ts';
import type { NameAddr } from '../sip/name-addr.ts';
import { findParam } from '../sip/params.ts';
import { asRequestUri, bareHost, isSipUri, type SipUri, serializeUri } from '../sip/uri.ts';

/** Where a 3xx may send a call. Whoever could send it anywhere could have it pay for any number. */
export interface RedirectScope {
  /** Names and addresses of the trunk, or of the host that is dialled directly. */
  readonly hosts: readonly string[];
  /** Port that is dialled; null if DNS says it. */
  readonly port: number | null;
  /** Over a trunk, the number or user that stays dialled; null without one: a host may name another of its users. */
  readonly user: string | null;
  /** Of the call: one over `sips` is not led out of it, nor any into it. */
  readonly scheme: 'sip' | 'sips';
}

/** INVITEs that one call sends because of 3xx answers. */
const MAX_REDIRECTS = 4;

const plainHost = (host: string): string => bareHost(host).toLowerCase().replace(/\.$/, '');

/** A user part without its parameters; a number also without plus sign and visual separators (RFC 3966 5.1.1). */
const plainUser = (user: string): string => {
  const name = (user.split(';', 1)[0] ?? '').replace(/%2B/gi, '+');
  return /^[-.()+0-9]+$/.test(name) ? name.replace(/[-.()+]/g, '') : name;
};

const isWithin = (uri: SipUri, scope: RedirectScope): boolean => {
  const staysOnHost = scope.hosts.some((host) => plainHost(host) === plainHost(uri.host));
  const staysWithUser = scope.user === null || plainUser(uri.user ?? '') === plainUser(scope.user);
  return uri.scheme === scope.scheme && findParam(uri.params, 'maddr') === undefined && staysOnHost && staysWithUser;
};

/** RFC 3261 20.10: without a q it is 1. */
const preference = ({ params }: NameAddr): number => {
  const q = Number(findParam(params, 'q') ?? 1);
  return q >= 0 && q <= 1 ? q : 0;
};

/** Whether the next Contact of an earlier 3xx is tried after this refusal: not if the called party itself has spoken. */
const leavesMore = (status: number): boolean => status >= 400 && status < 600 && ![401, 407, 486].includes(status);

/** Where the 3xx answers to one call lead (RFC 3261 8.1.3.4): by preference, each target once, and only a few. */
export class Redirects {
  readonly #scope: RedirectScope;
  readonly #tried = new Set<string>();
  #left: readonly SipUri[] = [];
  #count = 0;
  #words: string | null = null;

  constructor(scope: RedirectScope, first: SipUri) {
    this.#scope = scope;
    this.#tried.add(serializeUri(asRequestUri(first)));
  }

  /** Why a 3xx was not followed, in words; null if there is nothing to say. */
  get words(): string | null {
    return this.#words;
  }

  /** Where the call goes after a refusal; null if that stands. */
  next(response: SipResponse): SipUri | null {
    this.#words = null;
    if (response.status >= 300 && response.status < 400) this.#learn(response);
    else if (!leavesMore(response.status)) return null;
    const [uri, ...left] = this.#left;
    if (!uri) return null;
    if (this.#count >= MAX_REDIRECTS) {
      this.#words = `The peer redirects the call again and again: ${MAX_REDIRECTS} times were followed`;
      return null;
    }
    this.#count += 1;
    this.#left = left;
    this.#tried.add(serializeUri(asRequestUri(uri)));
    return uri;
  }

  #learn(response: SipResponse): void {
    const uris = response.contacts
      .toSorted((a, b) => preference(b) - preference(a))
      .map(({ uri }) => uri)
      .filter((uri) => !this.#tried.has(serializeUri(asRequestUri(uri))));
    const within = uris.filter(isSipUri).filter((uri) => isWithin(uri, this.#scope));
    this.#left = [...within, ...this.#left];
    const outside = uris.find((uri) => !within.some((allowed) => allowed === uri));
    if (within.length > 0 || !outside) return;
    const limits = this.#scope.user === null ? 'its own host' : 'the same number over the trunk';
    this.#words = `The peer redirects the call to ${serializeUri(outside)}, and only ${limits} may be called`;
  }
}
