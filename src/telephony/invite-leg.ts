import type { CallTrunk } from '../domain/call.ts';
import type { Hop } from '../sip/hop.ts';
import type { SipRequest, SipResponse } from '../sip/message.ts';
import { tagOf } from '../sip/name-addr.ts';
import { CallDialog, type CallDialogUser } from './call-dialog.ts';
import type { Signalling } from './signalling.ts';
import { type AnswerChallenge, TrunkLogin } from './trunk-login.ts';
import { type Try, TryHops } from './try-hops.ts';

export interface InviteLegUser extends CallDialogUser {
  onProvisional(status: number): void;
  /** The first 2xx. */
  onAccepted(response: SipResponse): void;
  /** A challenge that can be answered: by `authenticate`, or by nothing if the call is to end. */
  onChallenged(response: SipResponse): void;
  /** `words` tell what the refusal says of our user name and password, if anything. */
  onRefused(response: SipResponse, words: string | null): void;
  onUnanswered(reason: string): void;
  /** Whether the call still wants to be answered: else no further hop is tried. */
  isWanted(): boolean;
}

export interface InviteLegParts {
  readonly invite: SipRequest;
  /** Where it goes: the first that answers. */
  readonly hops: readonly [Hop, ...Hop[]];
  readonly localAddress: string;
  /** Whose credentials answer a challenge, if it has any. */
  readonly trunk: CallTrunk | null;
}

/** Forks of one INVITE that are hung up properly; a proxy that makes more is not taken seriously. */
const MAX_DIALOGS = 16;

/** What a fork's peer may do with its dialog: nothing, it is being hung up. */
const FORK_USER: CallDialogUser = { onBye: () => undefined, onOffer: () => null, onLateAnswer: () => undefined };

/**
 * An INVITE of ours and the dialogs that come of it: the first is the call, any other is a fork and is hung up
 * (RFC 3261 13.2.2.4). An INVITE that was challenged is followed by one with credentials, which takes its place (22.2).
 * The user hears of nothing before the constructor has returned.
 */
export class InviteLeg {
  readonly #signalling: Signalling;
  readonly #parts: InviteLegParts;
  readonly #user: InviteLegUser;
  readonly #login: TrunkLogin;
  readonly #answerChallenge: AnswerChallenge;
  /** By the To-tag of the 2xx that made them. */
  readonly #dialogs = new Map<string | null, CallDialog>();
  /** The INVITEs that something may still come of; the latest alone counts. */
  readonly #running = new Set<TryHops>();
  #latest: TryHops | null = null;
  #inviteWithCredentials: SipRequest | null = null;
  #call: CallDialog | null = null;
  #hasFinalAnswer = false;
  #isReleased = false;

  constructor(signalling: Signalling, parts: InviteLegParts, user: InviteLegUser) {
    this.#signalling = signalling;
    this.#parts = parts;
    this.#user = user;
    this.#login = new TrunkLogin(signalling, parts.trunk, parts.hops);
    this.#answerChallenge = this.#login.answerer();
    this.#send(this.#login.sign(parts.invite, parts.hops[0]), parts.hops);
  }

  /** Answers the challenge that the user has just heard of. */
  authenticate(): void {
    const invite = this.#inviteWithCredentials;
    if (!invite || !this.#latest) return;
    this.#inviteWithCredentials = null;
    this.#hasFinalAnswer = false;
    this.#send(invite, this.#latest.remainingHops());
  }

  /** Sends CANCEL; to be called only after a provisional answer (RFC 3261 9.1). */
  cancel(): void {
    this.#latest?.cancel();
  }

  acknowledge(): void {
    this.#call?.acknowledge();
  }

  /** Sends BYE; `onDone` when nothing more will come of it. */
  hangUp(onDone: () => void): void {
    if (this.#call) this.#call.hangUp(onDone);
    else onDone();
  }

  /**
   * The call is over. An INVITE without a final answer is given up; else its transaction still acknowledges repeated
   * and forked answers for 64*T1, and the dialogs are forgotten only then.
   */
  release(): void {
    this.#isReleased = true;
    if (!this.#hasFinalAnswer) this.#latest?.stop();
    this.#forgetWhenDone();
  }

  #send(invite: SipRequest, hops: readonly Hop[]): void {
    const ifLatest =
      <A extends readonly unknown[]>(hear: (...args: A) => void) =>
      (...args: A): void => {
        if (this.#latest === tries) hear(...args);
      };
    const sign = (request: SipRequest, hop: Hop): SipRequest => this.#login.sign(request, hop);
    const tries = new TryHops(
      this.#signalling,
      { request: invite, hops, sign },
      {
        onResponse: (response, by) =>
          this.#latest === tries ? this.#onResponse(response, by) : this.#onStray(response, by),
        onFailure: ifLatest((failure) =>
          this.#user.onUnanswered(failure === 'timeout' ? 'No SIP answer came.' : 'The INVITE could not be sent.'),
        ),
        onTerminated: () => {
          this.#running.delete(tries);
          this.#forgetWhenDone();
        },
        mayGoOn: () => !this.#isReleased && this.#user.isWanted(),
      },
    );
    this.#latest = tries;
    this.#running.add(tries);
  }

  #forgetWhenDone(): void {
    if (this.#isReleased && this.#running.size === 0) for (const dialog of this.#dialogs.values()) dialog.forget();
  }

  #onResponse(response: SipResponse, by: Try): void {
    this.#hasFinalAnswer ||= response.status >= 200;
    if (response.status > 100 && response.status < 300) this.#login.letIn();
    if (response.status < 200) this.#user.onProvisional(response.status);
    else if (response.status < 300) this.#onSuccess(response, by);
    else this.#onRefusal(response, by);
  }

  #onRefusal(response: SipResponse, by: Try): void {
    this.#inviteWithCredentials = this.#answerChallenge(by.request, response, by.hop);
    if (this.#inviteWithCredentials) this.#user.onChallenged(response);
    else this.#user.onRefused(response, this.#login.judge(by.request, response));
  }

  #onSuccess(response: SipResponse, by: Try): void {
    if (this.#call || this.#isReleased) this.#onStray(response, by);
    else {
      this.#call = this.#open(response, by, this.#user);
      this.#user.onAccepted(response);
    }
  }

  /** A 2xx that is not the call's first: repeated, of a fork, or to an INVITE that was given up too long ago. */
  #onStray(response: SipResponse, by: Try): void {
    const known = this.#dialogs.get(tagOf(response.to));
    known?.acknowledge();
    if (known || response.status >= 300 || this.#dialogs.size >= MAX_DIALOGS) return;
    const fork = this.#open(response, by, FORK_USER);
    fork.acknowledge();
    fork.hangUp(() => undefined);
  }

  #open(response: SipResponse, { request, hop }: Try, user: CallDialogUser): CallDialog {
    const dialog = new CallDialog(
      this.#signalling,
      { ...this.#parts, invite: request, peer: hop, login: this.#login, response },
      user,
    );
    this.#dialogs.set(tagOf(response.to), dialog);
    return dialog;
  }
}
