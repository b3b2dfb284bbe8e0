import { defaultPortOf, type Hop } from '../sip/hop.ts';
import type { SipRequest, SipResponse } from '../sip/message.ts';
import { requestAgain, withHeader } from '../sip/request.ts';
import { minSe, minSeOf, sessionExpires, sessionExpiresOf } from '../sip/session-timer.ts';
import { asRequestUri, bareHost, isSipUri, type SipUri } from '../sip/uri.ts';
import { type RedirectScope, Redirects } from './redirects.ts';
import { newBranch, type Signalling } from './signalling.ts';
import { type AnswerChallenge, type TrunkLogin, withoutCredentials } from './trunk-login.ts';
import type { Try } from './try-hops.ts';

/** An INVITE, and where it goes: the first that answers. */
export interface NextInvite {
  readonly invite: SipRequest;
  readonly hops: readonly Hop[];
}

export interface NextInvitesParts {
  readonly invite: SipRequest;
  readonly hops: readonly Hop[];
  readonly scope: RedirectScope;
  readonly login: TrunkLogin;
  /** Makes an INVITE what a hop is to get: signed, with a Contact for its transport. */
  readonly inviteFor: (invite: SipRequest, hop: Hop) => SipRequest;
}

/** Where a redirect leads of the hops that were located; `dialledPort` is null if DNS said their ports. */
export const hopsOfRedirect = (uri: SipUri, hops: readonly Hop[], dialledPort: number | null): readonly Hop[] => {
  const atAddress = hops.filter(({ address }) => address === bareHost(uri.host));
  const isLocated = uri.port === null && dialledPort === null && atAddress.length === 0;
  if (isLocated) return hops;
  return (atAddress.length > 0 ? atAddress : hops).map((hop) => ({
    ...hop,
    port: uri.port ?? defaultPortOf(hop.transport),
  }));
};

/** The INVITEs that one call sends after refusals: with credentials, for a longer session, or to where a 3xx leads. */
export class NextInvites {
  readonly #signalling: Signalling;
  readonly #parts: NextInvitesParts;
  readonly #answerChallenge: AnswerChallenge;
  readonly #redirects: Redirects | null;
  #wasTooShort = false;

  constructor(signalling: Signalling, parts: NextInvitesParts) {
    this.#signalling = signalling;
    this.#parts = parts;
    this.#answerChallenge = parts.login.answerer();
    this.#redirects = isSipUri(parts.invite.uri) ? new Redirects(parts.scope, parts.invite.uri) : null;
  }

  /** What follows the refusal of a try; null if it stands. `remaining` are the hops from that of the try on. */
  after(response: SipResponse, { request, hop }: Try, remaining: readonly Hop[]): NextInvite | null {
    const signed = this.#answerChallenge(request, response, hop);
    if (signed) return { invite: signed, hops: remaining };
    const longer = this.#wasTooShort ? null : this.#forLonger(request, response);
    if (!longer) return this.#elsewhere(request, response);
    this.#wasTooShort = true;
    return { invite: this.#parts.inviteFor(longer, hop), hops: remaining };
  }

  /** What a refusal that stands means, if more than its status says. */
  wordsFor(response: SipResponse, { request }: Try): string | null {
    const words = this.#redirects?.words;
    return words ? `${words} (${response.status}).` : this.#parts.login.judge(request, response);
  }

  /** The INVITE after a 422: with as long a session as the peer insists on (RFC 4028 7.3). Null if it was long enough. */
  #forLonger(invite: SipRequest, response: SipResponse): SipRequest | null {
    const least = minSeOf(response);
    if (response.status !== 422 || least <= (sessionExpiresOf(invite)?.seconds ?? 0)) return null;
    return withHeader(withHeader(this.#again(invite), sessionExpires(least)), minSe(least));
  }

  /** The INVITE to where a 3xx leads: To, From and Call-ID stay, so that it is the same attempt (RFC 3261 8.1.3.4). */
  #elsewhere(refused: SipRequest, response: SipResponse): NextInvite | null {
    const uri = this.#redirects?.next(response);
    if (!uri) return null;
    const hops = this.#signalling.hops.rank(hopsOfRedirect(uri, this.#parts.hops, this.#parts.scope.port));
    const [first] = hops;
    const invite = { ...this.#again(refused), uri: asRequestUri(uri) };
    return first ? { invite: this.#parts.inviteFor(invite, first), hops } : null;
  }

  #again(invite: SipRequest): SipRequest {
    return withoutCredentials(requestAgain(invite, newBranch(this.#signalling.random)));
  }
}
