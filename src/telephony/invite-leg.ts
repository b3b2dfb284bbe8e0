import type { CallTrunk } from '../domain/call.ts';
import type { Hop } from '../sip/hop.ts';
import type { Header, SipRequest, SipResponse } from '../sip/message.ts';
import { sentFrom } from './build-invite.ts';
import type { CallMedia } from './call-media.ts';
import { type DialogTrace, writeTrace } from './dialog-trace.ts';
import { failureWords } from './failure-words.ts';
import { InviteDialogs, type InviteDialogsUser } from './invite-dialogs.ts';
import { LateAnswers } from './late-answers.ts';
import { type NextInvite, NextInvites } from './next-invite.ts';
import type { RedirectScope } from './redirects.ts';
import { contactOf, type Signalling } from './signalling.ts';
import { credentialsOf, TrunkLogin } from './trunk-login.ts';
import { type Try, TryHops } from './try-hops.ts';

export interface InviteLegUser extends InviteDialogsUser {
  onProvisional(status: number): void;
  /** The first 2xx, and our side of offer and answer in its dialog. */
  onAccepted(response: SipResponse, media: CallMedia): void;
  /** A refusal after which another INVITE can follow: by `inviteAgain`, or none if the call is to end. */
  onAgain(response: SipResponse): void;
  /** `words` tell what the refusal means for our user name and password, or where it would have led, if anything. */
  onRefused(response: SipResponse, words: string | null): void;
  onUnanswered(reason: string): void;
  /** Whether the call still wants to be answered: else no further hop is tried. */
  isWanted(): boolean;
}

export interface InviteLegParts {
  readonly invite: SipRequest;
  /** Where it goes: the first that answers. */
  readonly hops: readonly [Hop, ...Hop[]];
  readonly localAddressOf: (hop: Hop) => string;
  /** The offer of the INVITE, as it names one of our addresses. */
  readonly offerFrom: (localAddress: string) => string;
  /** Whose credentials answer a challenge, if it has any. */
  readonly trunk: CallTrunk | null;
  readonly scope: RedirectScope;
  /** Makes our side of offer and answer for one more dialog. */
  readonly createMedia: (localAddress: string) => CallMedia;
}

const SILENT = { onResponse: () => undefined, onFailure: () => undefined };

/** Takes the user's place once the call is over, so that the call itself need not stay in memory for 64*T1. */
const NOBODY: InviteLegUser = {
  onProvisional: () => undefined,
  onAccepted: () => undefined,
  onAgain: () => undefined,
  onRefused: () => undefined,
  onUnanswered: () => undefined,
  onBye: () => undefined,
  onSessionLost: () => undefined,
  onDigit: () => undefined,
  isWanted: () => false,
};

/**
 * An INVITE of ours. One that was challenged, redirected, or refused for its session timer is followed by another, which
 * takes its place. The user hears of nothing before the constructor has returned.
 */
export class InviteLeg {
  readonly #signalling: Signalling;
  readonly #parts: InviteLegParts;
  #user: InviteLegUser;
  readonly #login: TrunkLogin;
  readonly #nextInvites: NextInvites;
  readonly #dialogs: InviteDialogs;
  /** The INVITEs that something may still come of; the latest alone counts. */
  readonly #running = new Set<TryHops>();
  #latest: TryHops | null = null;
  #next: NextInvite | null = null;
  #trace: DialogTrace | null = null;
  #hasFinalAnswer = false;
  #isReleased = false;

  /** The INVITE as a hop is to get it: where we are reached from there and over its transport, and signed. */
  readonly #inviteFor = (invite: SipRequest, hop: Hop): SipRequest => {
    const { localAddressOf, offerFrom, scope } = this.#parts;
    const localAddress = localAddressOf(hop);
    const contact = contactOf(this.#signalling, localAddress, hop.transport, scope.scheme);
    return this.#login.sign({ ...sentFrom(invite, localAddress, offerFrom), contacts: [contact] }, hop);
  };

  constructor(signalling: Signalling, parts: InviteLegParts, user: InviteLegUser) {
    this.#signalling = signalling;
    this.#parts = parts;
    this.#user = user;
    this.#login = new TrunkLogin(signalling, parts.trunk, parts.hops);
    this.#dialogs = this.#createDialogs();
    const { invite, hops, scope } = parts;
    const inviteFor = this.#inviteFor;
    this.#nextInvites = new NextInvites(signalling, { invite, hops, scope, login: this.#login, inviteFor });
    this.#send({ invite: inviteFor(invite, hops[0]), hops });
  }

  /** Sends the INVITE that follows the refusal which the user has just heard of. */
  inviteAgain(): void {
    const next = this.#next;
    if (!next) return;
    this.#next = null;
    this.#hasFinalAnswer = false;
    this.#send(next);
  }

  /** Sends CANCEL; to be called only after a provisional answer (RFC 3261 9.1). */
  cancel(reason: Header): void {
    this.#latest?.cancel(reason);
  }

  /** What another process needs to end what has come of it so far; null before an answer that is more than 100. */
  trace(): string | null {
    return this.#trace && writeTrace(this.#trace);
  }

  acknowledge(): void {
    this.#dialogs.call?.acknowledge();
  }

  /** Sends BYE; `onDone` when nothing more will come of it. */
  hangUp(reason: Header, onDone: () => void): void {
    const { call } = this.#dialogs;
    if (call) call.hangUp(reason, onDone);
    else onDone();
  }

  /**
   * The call is over. An INVITE without a final answer is given up; else its transactions still acknowledge repeated
   * and forked answers for 64*T1, without this object.
   */
  release(): void {
    this.#isReleased = true;
    this.#user = NOBODY;
    if (this.#hasFinalAnswer) this.#leave();
    else this.#latest?.stop();
    this.#forgetWhenDone();
  }

  #createDialogs(): InviteDialogs {
    const { localAddressOf, createMedia } = this.#parts;
    return new InviteDialogs(
      this.#signalling,
      { login: this.#login, localAddressOf, createMedia },
      {
        onBye: (words) => this.#user.onBye(words),
        onSessionLost: (reason) => this.#user.onSessionLost(reason),
        onDigit: (digit) => this.#user.onDigit(digit),
      },
    );
  }

  /** Nothing but an answered INVITE has answers that somebody must see to. */
  #leave(): void {
    const late = this.#trace && this.#dialogs.call ? this.#lateAnswers(this.#trace) : null;
    this.#dialogs.forget();
    for (const tries of [...this.#running]) tries.handOver(({ hop }) => late?.listen(hop) ?? SILENT);
  }

  #lateAnswers({ invite, hop }: DialogTrace): LateAnswers {
    const remains = { credentials: credentialsOf(invite), localAddress: this.#parts.localAddressOf(hop) };
    return new LateAnswers(this.#signalling, { login: this.#login, ...remains, ...this.#dialogs.remains() });
  }

  #send({ invite, hops }: NextInvite): void {
    const isLatest = (): boolean => this.#latest === tries;
    const tries = new TryHops(
      this.#signalling,
      { request: invite, hops, requestFor: this.#inviteFor },
      {
        onResponse: (response, by) => {
          if (isLatest()) this.#onResponse(response, by);
          else this.#dialogs.onStray(response, by);
        },
        onFailure: (failure, error) => {
          if (isLatest()) this.#user.onUnanswered(failureWords('INVITE', failure, error));
        },
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
    if (this.#isReleased && this.#running.size === 0) this.#dialogs.forget();
  }

  #onResponse(response: SipResponse, by: Try): void {
    this.#hasFinalAnswer ||= response.status >= 200;
    if (response.status > 100 && response.status < 300) this.#login.letIn();
    if (response.status < 200) this.#onProvisional(response, by);
    else if (response.status < 300) this.#onSuccess(response, by);
    else this.#onRefusal(response, by);
  }

  #onProvisional(response: SipResponse, by: Try): void {
    if (response.status > 100) this.#trace = { invite: by.request, answer: response, hop: by.hop };
    this.#dialogs.onProvisional(response, by);
    this.#user.onProvisional(response.status);
  }

  #onRefusal(response: SipResponse, by: Try): void {
    this.#dialogs.forgetEarly();
    this.#next = this.#nextInvites.after(response, by, this.#latest?.remainingHops() ?? []);
    if (this.#next) this.#user.onAgain(response);
    else this.#user.onRefused(response, this.#nextInvites.wordsFor(response, by));
  }

  #onSuccess(response: SipResponse, by: Try): void {
    if (this.#dialogs.call || this.#isReleased) this.#dialogs.onStray(response, by);
    else {
      const dialog = this.#dialogs.confirm(response, by);
      if (!dialog) return;
      this.#trace = { invite: by.request, answer: response, hop: by.hop };
      this.#user.onAccepted(response, dialog.media);
    }
  }
}
