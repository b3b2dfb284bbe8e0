import type { CallTrunk } from '../domain/call.ts';
import type { Hop } from '../sip/hop.ts';
import type { Header, SipRequest, SipResponse } from '../sip/message.ts';
import { tagOf } from '../sip/name-addr.ts';
import { CallDialog } from './call-dialog.ts';
import type { CallMedia } from './call-media.ts';
import { type DialogTrace, writeTrace } from './dialog-trace.ts';
import { failureWords } from './failure-words.ts';
import { type NextInvite, NextInvites } from './next-invite.ts';
import type { RedirectScope } from './redirects.ts';
import { contactOf, type Signalling } from './signalling.ts';
import { TrunkLogin } from './trunk-login.ts';
import { type Try, TryHops } from './try-hops.ts';

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
  /** A key was pressed, by INFO. */
  onDigit(digit: string): void;
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
  readonly scope: RedirectScope;
  /** Makes our side of offer and answer for one more dialog. */
  readonly createMedia: () => CallMedia;
}

/** Forks of one INVITE that are hung up properly; a proxy that makes more is not taken seriously. */
const MAX_DIALOGS = 16;

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
 * An INVITE of ours and the dialogs that come of it, one for each To-tag: the first to be confirmed is the call, any
 * other is a fork and is hung up (RFC 3261 12.1, 13.2.2.4). An INVITE that was challenged, redirected, or refused for
 * its session timer is followed by another, which takes its place. The user hears of nothing before the constructor has
 * returned.
 */
export class InviteLeg {
  readonly #signalling: Signalling;
  readonly #parts: InviteLegParts;
  #user: InviteLegUser;
  readonly #login: TrunkLogin;
  readonly #nextInvites: NextInvites;
  /** By To-tag. */
  readonly #dialogs = new Map<string | null, CallDialog>();
  /** The INVITEs that something may still come of; the latest alone counts. */
  readonly #running = new Set<TryHops>();
  #latest: TryHops | null = null;
  #next: NextInvite | null = null;
  #call: CallDialog | null = null;
  #trace: DialogTrace | null = null;
  #hasFinalAnswer = false;
  #isReleased = false;

  /** The INVITE as a hop is to get it: where we are reached over its transport, and signed. */
  readonly #inviteFor = (invite: SipRequest, hop: Hop): SipRequest => {
    const { localAddress, scope } = this.#parts;
    const contact = contactOf(this.#signalling, localAddress, hop.transport, scope.scheme);
    return this.#login.sign({ ...invite, contacts: [contact] }, hop);
  };

  constructor(signalling: Signalling, parts: InviteLegParts, user: InviteLegUser) {
    this.#signalling = signalling;
    this.#parts = parts;
    this.#user = user;
    this.#login = new TrunkLogin(signalling, parts.trunk, parts.hops);
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
    this.#call?.acknowledge();
  }

  /** Sends BYE; `onDone` when nothing more will come of it. */
  hangUp(reason: Header, onDone: () => void): void {
    if (this.#call) this.#call.hangUp(reason, onDone);
    else onDone();
  }

  /**
   * The call is over. An INVITE without a final answer is given up; else its transactions still acknowledge repeated
   * and forked answers for 64*T1, and the dialogs are forgotten only then.
   */
  release(): void {
    this.#isReleased = true;
    if (!this.#hasFinalAnswer) this.#latest?.stop();
    this.#user = NOBODY;
    this.#forgetWhenDone();
  }

  #send({ invite, hops }: NextInvite): void {
    const isLatest = (): boolean => this.#latest === tries;
    const tries = new TryHops(
      this.#signalling,
      { request: invite, hops, requestFor: this.#inviteFor },
      {
        onResponse: (response, by) => {
          if (isLatest()) this.#onResponse(response, by);
          else this.#onStray(response, by);
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
    if (!this.#isReleased || this.#running.size > 0) return;
    for (const dialog of this.#dialogs.values()) dialog.forget();
    this.#dialogs.clear();
  }

  /** A refusal ends every early dialog (RFC 3261 12.3). */
  #forgetEarly(): void {
    for (const [tag, dialog] of this.#dialogs) {
      if (dialog.isConfirmed) continue;
      dialog.forget();
      this.#dialogs.delete(tag);
    }
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
    if (response.status > 100 && tagOf(response.to) !== null) this.#dialogOf(response, by)?.onProvisional(response);
    this.#user.onProvisional(response.status);
  }

  #onRefusal(response: SipResponse, by: Try): void {
    this.#forgetEarly();
    this.#next = this.#nextInvites.after(response, by, this.#latest?.remainingHops() ?? []);
    if (this.#next) this.#user.onAgain(response);
    else this.#user.onRefused(response, this.#nextInvites.wordsFor(response, by));
  }

  #onSuccess(response: SipResponse, by: Try): void {
    if (this.#call || this.#isReleased) this.#onStray(response, by);
    else {
      const dialog = this.#dialogOf(response, by);
      if (!dialog) return;
      this.#call = dialog;
      this.#trace = { invite: by.request, answer: response, hop: by.hop };
      dialog.confirm(response);
      this.#user.onAccepted(response, dialog.media);
    }
  }

  /** A 2xx that is not the call's first: repeated, of a fork, or to an INVITE that was given up too long ago. */
  #onStray(response: SipResponse, by: Try): void {
    if (response.status < 200 || response.status >= 300) return;
    const dialog = this.#dialogOf(response, by);
    if (dialog?.isConfirmed) dialog.acknowledge();
    else {
      dialog?.confirm(response);
      dialog?.hangUpSurplus();
    }
  }

  /** The dialog of an answer's To-tag, made by its first answer. Null if there are too many. */
  #dialogOf(response: SipResponse, { request, hop }: Try): CallDialog | null {
    const tag = tagOf(response.to);
    const known = this.#dialogs.get(tag);
    if (known || this.#dialogs.size >= MAX_DIALOGS) return known ?? null;
    // What is confirmed without being the call is being hung up.
    const isTheCall = (): boolean => (this.#call ? this.#call === dialog : !dialog.isConfirmed);
    const { localAddress, createMedia } = this.#parts;
    const dialog: CallDialog = new CallDialog(
      this.#signalling,
      { invite: request, response, localAddress, peer: hop, login: this.#login, media: createMedia() },
      {
        onBye: (words) => {
          if (isTheCall()) this.#user.onBye(words);
        },
        onSessionLost: (reason) => {
          if (isTheCall()) this.#user.onSessionLost(reason);
        },
        onDigit: (digit) => {
          if (dialog === this.#call) this.#user.onDigit(digit);
        },
      },
    );
    this.#dialogs.set(tag, dialog);
    return dialog;
  }
}
