import type { CallTrunk } from '../domain/call.ts';
import type { TrunkCredentials } from '../domain/trunk.ts';
import { digestCredentials, parseChallenges, strongestOf } from '../sip/digest.ts';
import { findHeaders, type Header, type SipRequest, type SipResponse } from '../sip/message.ts';
import { requestAgain, withHeader } from '../sip/request.ts';
import { serializeUri } from '../sip/uri.ts';
import type { Address } from '../sip/via.ts';
import type { AskedChallenge } from './known-challenges.ts';
import { newBranch, type Signalling } from './signalling.ts';

/** A refused request once more, with credentials and in a new transaction; null if the refusal stands. */
export type AnswerChallenge = (refused: SipRequest, response: SipResponse, to: Address) => SipRequest | null;

const ASKS: Readonly<Record<number, { readonly asking: string; readonly answering: AskedChallenge['header'] }>> = {
  401: { asking: 'WWW-Authenticate', answering: 'Authorization' },
  407: { asking: 'Proxy-Authenticate', answering: 'Proxy-Authorization' },
};

const CREDENTIAL_HEADERS: readonly string[] = Object.values(ASKS).map(({ answering }) => answering);

/** Credentials of a request, which the ACK of its 2xx has to repeat (RFC 3261 13.2.2.4). */
export const credentialsOf = (request: SipRequest): readonly Header[] =>
  request.headers.filter(({ name }) => CREDENTIAL_HEADERS.includes(name));

/** For a request that goes on to another target, which has to ask for itself. */
export const withoutCredentials = (request: SipRequest): SipRequest => ({
  ...request,
  headers: request.headers.filter(({ name }) => !CREDENTIAL_HEADERS.includes(name)),
});

const challengeOf = (response: SipResponse): AskedChallenge | null => {
  const ask = ASKS[response.status];
  if (!ask) return null;
  const challenge = strongestOf(findHeaders(response, ask.asking).flatMap(parseChallenges));
  return challenge && { header: ask.answering, challenge };
};

const REFUSED = 'The trunk refused the user name or password';
const NONE_SET = 'The trunk asks for a user name and password, and it has none here';
const NOT_SPOKEN = 'The trunk asks for a login of a kind that is not supported: it must offer digest with qop auth';
const NEVER_FRESH = 'The trunk takes the user name and password and finds its own nonces too old, again and again';

/**
 * How one call shows its trunk who it is (RFC 3261 22). Credentials go to the trunk alone: to its addresses, and inside
 * the dialog to whoever asks in the realm that the trunk asked in.
 */
export class TrunkLogin {
  readonly #signalling: Signalling;
  readonly #trunk: CallTrunk | null;
  readonly #peers: readonly Address[];
  #isLetIn = false;

  constructor(signalling: Signalling, trunk: CallTrunk | null, peers: readonly Address[]) {
    this.#signalling = signalling;
    this.#trunk = trunk;
    this.#peers = peers;
  }

  /** The request with credentials for the trunk's last challenge, if there is one and the request goes to the trunk. */
  sign(request: SipRequest, to: Address): SipRequest {
    const credentials = this.#trunk?.credentials;
    if (!this.#trunk || !credentials || !this.#isTrunk(to)) return request;
    const known = this.#signalling.challenges.use(this.#trunk);
    return known ? this.#withCredentials(request, known, known.nonceCount, credentials) : request;
  }

  /** To be asked for each request anew. A challenge is answered once, and once more if only its nonce was too old. */
  answerer(): AnswerChallenge {
    const answeredNonces: string[] = [];
    return (refused, response, to) => {
      const asked = challengeOf(response);
      if (!asked || !mayAnswer(asked, answeredNonces)) return null;
      const again = this.#answer(refused, asked, to);
      if (again) answeredNonces.push(asked.challenge.nonce);
      return again;
    };
  }

  /** Notes, once, what an answer that is no refusal shows: the trunk lets us in. */
  letIn(): void {
    if (this.#isLetIn || !this.#trunk?.credentials) return;
    this.#isLetIn = true;
    this.#signalling.challenges.prove(this.#trunk);
    this.#signalling.onLogin(this.#trunk.id, 'accepted');
  }

  /** What a final refusal of an INVITE says of our user name and password, in words; null if nothing. */
  judge(refused: SipRequest, response: SipResponse): string | null {
    const trunk = this.#trunk;
    if (!trunk) return null;
    const { status, reason } = response;
    const shown = credentialsOf(refused).at(-1)?.value ?? null;
    const words = this.#wordsFor(trunk, response, shown);
    if (words === REFUSED) this.#noteRefusal(trunk);
    else if (words === null && shown !== null && !isServerFailure(status)) this.letIn();
    return words && `${words} (${`${status} ${reason}`.trim()}).`;
  }

  #answer(refused: SipRequest, asked: AskedChallenge, to: Address): SipRequest | null {
    const trunk = this.#trunk;
    if (!trunk?.credentials) return null;
    const { challenges } = this.#signalling;
    const isTrunk = this.#isTrunk(to);
    if (!isTrunk && challenges.realm(trunk) !== asked.challenge.realm) return null;
    const nonceCount = isTrunk ? challenges.learn(trunk, asked) : 1;
    const request = requestAgain(refused, newBranch(this.#signalling.random));
    return this.#withCredentials(request, asked, nonceCount, trunk.credentials);
  }

  #withCredentials(
    request: SipRequest,
    { header, challenge }: AskedChallenge,
    nonceCount: number,
    credentials: TrunkCredentials,
  ): SipRequest {
    const value = digestCredentials({
      challenge,
      ...credentials,
      method: request.method,
      uri: serializeUri(request.uri),
      nonceCount,
      cnonce: this.#signalling.random.hex(8),
    });
    return withHeader(request, { name: header, value });
  }

  /** 403 is about the password only while no call has ever come past it: later it is about the number or the caller. */
  #wordsFor(trunk: CallTrunk, response: SipResponse, shown: string | null): string | null {
    const { status } = response;
    if (status === 403) return shown !== null && !this.#signalling.challenges.isProved(trunk) ? REFUSED : null;
    if (!ASKS[status]) return null;
    if (!trunk.credentials) return NONE_SET;
    if (shown === null) return NOT_SPOKEN;
    const challenge = challengeOf(response)?.challenge;
    const isFresh = challenge !== undefined && !shown.includes(`nonce="${challenge.nonce}"`);
    return isFresh && challenge.isStale ? NEVER_FRESH : REFUSED;
  }

  #isTrunk({ address, port }: Address): boolean {
    return this.#peers.some((peer) => peer.address === address && peer.port === port);
  }

  #noteRefusal(trunk: CallTrunk): void {
    this.#signalling.challenges.forget(trunk);
    this.#signalling.onLogin(trunk.id, 'refused');
  }
}

/** Says nothing of the caller. */
const isServerFailure = (status: number): boolean => status >= 500 && status < 600;

const mayAnswer = ({ challenge }: AskedChallenge, answeredNonces: readonly string[]): boolean => {
  const [first, ...more] = answeredNonces;
  if (first === undefined) return true;
  return more.length === 0 && challenge.isStale && challenge.nonce !== first;
};
