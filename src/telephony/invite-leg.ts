import type { CallTrunk } from '../domain/call.ts';
import { defaultPortOf, type Hop } from '../sip/hop.ts';
import type { Header, SipRequest, SipResponse } from '../sip/message.ts';
import { tagOf } from '../sip/name-addr.ts';
import { cancelOf } from '../sip/request.ts';
import { isSipUri } from '../sip/uri.ts';
import { CallDialog } from './call-dialog.ts';
import type { CallMedia } from './call-media.ts';
import { inviteElsewhere, inviteForLonger } from './next-invite.ts';
import { type RedirectScope, Redirects } from './redirects.ts';
import type { Signalling } from './signalling.ts';
import { type AnswerChallenge, TrunkLogin } from './trunk-login.ts';

export interface InviteLegUser {
  onProvisional(status: number): void;
  /** The first 2xx, and our side of offer and answer in its dialog. */
  onAccepted(response: SipResponse, media: CallMedia): void;
  /** A refusal after which another INVITE can follow: by `inviteAgain`, or none if the call is to end. */
  onAgain(response: SipResponse): void;
  /** `words` tell what the refusal means for our user name and password, or where it would have led, if anything. */
  onRefused(response: SipResponse, words: string | null): void;
  onUnanswered(reason: string): void;
  /** The called party hung up; `words` are those of its Reason, if it gave one. */
  onBye(words: string | null): void;
  onSessionLost(reason: string): void;
}

export interface InviteLegParts {
  readonly invite: SipRequest;
  readonly peer: Hop;
  readonly localAddress: string;
  /** Whose credentials answer a challenge, if it has any. */
  readonly trunk: CallTrunk | null;
  readonly scope: RedirectScope;
  /** Makes our side of offer and answer for one more dialog. */
  readonly createMedia: () => CallMedia;
}

interface NextInvite {
  readonly invite: SipRequest;
  readonly peer: Hop;
}

/** Forks of one INVITE that are hung up properly; a proxy that makes more is not taken seriously. */
const MAX_DIALOGS = 16;

const NOBODY = { onResponse: () => undefined, onFailure: () => undefined };

/**
 * An INVITE of ours and the dialogs that come of it, one for each To-tag: the first to be confirmed is the call, any
 * other is a fork and is hung up (RFC 3261 12.1, 13.2.2.4). An INVITE that was challenged, redirected, or refused for
 * its session timer is followed by another, which takes its place. The user hears of nothing before the constructor has
 * returned.
 */
export class InviteLeg {
  readonly #signalling: Signalling;
  readonly #parts: InviteLegParts;
  readonly #user: InviteLegUser;
  readonly #login: TrunkLogin;
  readonly #answerChallenge: AnswerChallenge;
  readonly #redirects: Redirects | null;
  /** By To-tag. */
  readonly #dialogs = new Map<string | null, CallDialog>();
  /** The latest one, which alone counts, and where it goes. */
  #invite: SipRequest;
  #peer: Hop;
  #next: NextInvite | null = null;
  #stopInvite: () => void = () => undefined;
  #call: CallDialog | null = null;
  #wasTooShort = false;
  #hasFinalAnswer = false;
  #isTerminated = false;
  #isReleased = false;

  constructor(signalling: Signalling, parts: InviteLegParts, user: InviteLegUser) {
    this.#signalling = signalling;
    this.#parts = parts;
    this.#user = user;
    this.#peer = parts.peer;
    this.#login = new TrunkLogin(signalling, parts.trunk, parts.peer);
    this.#answerChallenge = this.#login.answerer();
    this.#redirects = isSipUri(parts.invite.uri) ? new Redirects(parts.scope, parts.invite.uri) : null;
    this.#invite = this.#login.sign(parts.invite, parts.peer);
    this.#send();
  }

  /** Sends the INVITE that follows the refusal which the user has just heard of. */
  inviteAgain(): void {
    if (!this.#next) return;
    this.#invite = this.#next.invite;
    this.#peer = this.#next.peer;
    this.#next = null;
    this.#hasFinalAnswer = false;
    this.#send();
  }

  /** Sends CANCEL; to be called only after a provisional answer (RFC 3261 9.1). */
  cancel(reason: Header): void {
    this.#signalling.clients.start(cancelOf(this.#invite, [reason]), this.#peer, NOBODY);
  }

  acknowledge(): void {
    this.#call?.acknowledge();
  }

  /** Sends BYE; `onDone` when nothing more will come of it. */
  hangUp(reason: Header, onDone: () => void): void {
    if (this.#call) this.#call.hangUp(reason, onDone);
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
    this.#stopInvite = this.#signalling.clients.start(invite, this.#peer, {
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
    if (this.#isReleased && this.#isTerminated) this.#forgetDialogs();
  }

  #forgetDialogs(): void {
    for (const dialog of this.#dialogs.values()) dialog.forget();
    this.#dialogs.clear();
  }

  #onResponse(response: SipResponse): void {
    this.#hasFinalAnswer ||= response.status >= 200;
    if (response.status > 100 && response.status < 300) this.#login.letIn();
    if (response.status < 200) this.#onProvisional(response);
    else if (response.status < 300) this.#onSuccess(response);
    else this.#onRefusal(response);
  }

  #onProvisional(response: SipResponse): void {
    if (response.status > 100 && tagOf(response.to) !== null) this.#dialogOf(response)?.onProvisional(response);
    this.#user.onProvisional(response.status);
  }

  /** A refusal ends every early dialog (RFC 3261 12.3). */
  #onRefusal(response: SipResponse): void {
    this.#forgetDialogs();
    this.#next = this.#after(response);
    if (this.#next) this.#user.onAgain(response);
    else this.#user.onRefused(response, this.#wordsFor(response));
  }

  #wordsFor(response: SipResponse): string | null {
    const words = this.#redirects?.words;
    return words ? `${words} (${response.status}).` : this.#login.judge(this.#invite, response);
  }

  #after(response: SipResponse): NextInvite | null {
    const peer = this.#peer;
    const signed = this.#answerChallenge(this.#invite, response, peer);
    if (signed) return { invite: signed, peer };
    const longer = this.#wasTooShort ? null : inviteForLonger(this.#signalling, this.#invite, response);
    if (longer) {
      this.#wasTooShort = true;
      return { invite: this.#login.sign(longer, peer), peer };
    }
    return this.#redirected(response);
  }

  /** The hosts of the scope are where the call went first: only the port can be another. */
  #redirected(response: SipResponse): NextInvite | null {
    const uri = this.#redirects?.next(response);
    if (!uri) return null;
    const peer = { ...this.#parts.peer, port: uri.port ?? defaultPortOf(this.#parts.peer.transport) };
    this.#signalling.meet(peer);
    return { invite: this.#login.sign(inviteElsewhere(this.#signalling, this.#invite, uri), peer), peer };
  }

  #onSuccess(response: SipResponse): void {
    const dialog = this.#dialogOf(response);
    if (!dialog) return;
    if (dialog.isConfirmed) dialog.acknowledge();
    else {
      dialog.confirm(response);
      if (this.#call) dialog.hangUpSurplus();
      else {
        this.#call = dialog;
        this.#user.onAccepted(response, dialog.media);
      }
    }
  }

  /** The dialog of an answer's To-tag, made by its first answer. Null if there are too many. */
  #dialogOf(response: SipResponse): CallDialog | null {
    const tag = tagOf(response.to);
    const known = this.#dialogs.get(tag);
    if (known || this.#dialogs.size >= MAX_DIALOGS) return known ?? null;
    const isTheCall = (): boolean => this.#call === null || this.#call === dialog;
    const dialog: CallDialog = new CallDialog(
      this.#signalling,
      {
        invite: this.#invite,
        response,
        localAddress: this.#parts.localAddress,
        peer: this.#peer,
        login: this.#login,
        media: this.#parts.createMedia(),
      },
      {
        onBye: (words) => {
          if (isTheCall()) this.#user.onBye(words);
        },
        onSessionLost: (reason) => {
          if (isTheCall()) this.#user.onSessionLost(reason);
        },
      },
    );
    this.#dialogs.set(tag, dialog);
    return dialog;
  }
}
