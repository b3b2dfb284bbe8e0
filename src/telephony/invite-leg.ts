import type { CallTrunk } from '../domain/call.ts';
import type { Hop } from '../sip/hop.ts';
import type { SipRequest, SipResponse } from '../sip/message.ts';
import { tagOf } from '../sip/name-addr.ts';
import { cancelOf } from '../sip/request.ts';
import { CallDialog, type CallDialogUser } from './call-dialog.ts';
import type { Signalling } from './signalling.ts';
import { type AnswerChallenge, TrunkLogin } from './trunk-login.ts';

export interface InviteLegUser extends CallDialogUser {
  onProvisional(status: number): void;
  /** The first 2xx. */
  onAccepted(response: SipResponse): void;
  /** A challenge that can be answered: by `authenticate`, or by nothing if the call is to end. */
  onChallenged(response: SipResponse): void;
  /** `words` tell what the refusal says of our user name and password, if anything. */
  onRefused(response: SipResponse, words: string | null): void;
  onUnanswered(reason: string): void;
}

export interface InviteLegParts {
  readonly invite: SipRequest;
  readonly peer: Hop;
  readonly localAddress: string;
  /** Whose credentials answer a challenge, if it has any. */
  readonly trunk: CallTrunk | null;
}

/** Forks of one INVITE that are hung up properly; a proxy that makes more is not taken seriously. */
const MAX_DIALOGS = 16;

/** What a fork's peer may do with its dialog: nothing, it is being hung up. */
const FORK_USER: CallDialogUser = { onBye: () => undefined, onOffer: () => null, onLateAnswer: () => undefined };

const NOBODY = { onResponse: () => undefined, onFailure: () => undefined };

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
  /** The latest one, which alone counts. */
  #invite: SipRequest;
  #stopInvite: () => void = () => undefined;
  #inviteWithCredentials: SipRequest | null = null;
  #call: CallDialog | null = null;
  #hasFinalAnswer = false;
  #isTerminated = false;
  #isReleased = false;

  constructor(signalling: Signalling, parts: InviteLegParts, user: InviteLegUser) {
    this.#signalling = signalling;
    this.#parts = parts;
    this.#user = user;
    this.#login = new TrunkLogin(signalling, parts.trunk, parts.peer);
    this.#answerChallenge = this.#login.answerer();
    this.#invite = this.#login.sign(parts.invite, parts.peer);
    this.#send();
  }

  /** Answers the challenge that the user has just heard of. */
  authenticate(): void {
    if (!this.#inviteWithCredentials) return;
    this.#invite = this.#inviteWithCredentials;
    this.#inviteWithCredentials = null;
    this.#hasFinalAnswer = false;
    this.#send();
  }

  /** Sends CANCEL; to be called only after a provisional answer (RFC 3261 9.1). */
  cancel(): void {
    this.#signalling.clients.start(cancelOf(this.#invite), this.#parts.peer, NOBODY);
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
    if (this.#hasFinalAnswer || this.#isTerminated) this.#forgetWhenDone();
    else {
      this.#stopInvite();
      this.#terminate();
    }
  }

  #send(): void {
    const invite = this.#invite;
    const ifLatest =
      <A extends readonly unknown[]>(hear: (...args: A) => void) =>
      (...args: A): void => {
        if (this.#invite === invite) hear(...args);
      };
    this.#stopInvite = this.#signalling.clients.start(invite, this.#parts.peer, {
      onResponse: ifLatest((response) => this.#onResponse(response)),
      onFailure: ifLatest((failure) =>
        this.#user.onUnanswered(failure === 'timeout' ? 'No SIP answer came.' : 'The INVITE could not be sent.'),
      ),
      onTerminated: ifLatest(() => this.#terminate()),
    });
  }

  #terminate(): void {
    this.#isTerminated = true;
    this.#forgetWhenDone();
  }

  #forgetWhenDone(): void {
    if (this.#isReleased && this.#isTerminated) for (const dialog of this.#dialogs.values()) dialog.forget();
  }

  #onResponse(response: SipResponse): void {
    this.#hasFinalAnswer ||= response.status >= 200;
    if (response.status > 100 && response.status < 300) this.#login.letIn();
    if (response.status < 200) this.#user.onProvisional(response.status);
    else if (response.status < 300) this.#onSuccess(response);
    else this.#onRefusal(response);
  }

  #onRefusal(response: SipResponse): void {
    this.#inviteWithCredentials = this.#answerChallenge(this.#invite, response, this.#parts.peer);
    if (this.#inviteWithCredentials) this.#user.onChallenged(response);
    else this.#user.onRefused(response, this.#login.judge(this.#invite, response));
  }

  #onSuccess(response: SipResponse): void {
    const known = this.#dialogs.get(tagOf(response.to));
    if (known) known.acknowledge();
    else if (this.#call) this.#onFork(response);
    else {
      this.#call = this.#open(response, this.#user);
      this.#user.onAccepted(response);
    }
  }

  #onFork(response: SipResponse): void {
    if (this.#dialogs.size >= MAX_DIALOGS) return;
    const fork = this.#open(response, FORK_USER);
    fork.acknowledge();
    fork.hangUp(() => undefined);
  }

  #open(response: SipResponse, user: CallDialogUser): CallDialog {
    const dialog = new CallDialog(
      this.#signalling,
      { ...this.#parts, invite: this.#invite, login: this.#login, response },
      user,
    );
    this.#dialogs.set(tagOf(response.to), dialog);
    return dialog;
  }
}
