import type { SipRequest, SipResponse } from '../sip/message.ts';
import { tagOf } from '../sip/name-addr.ts';
import { cancelOf } from '../sip/request.ts';
import type { Address } from '../sip/via.ts';
import { CallDialog, type CallDialogUser } from './call-dialog.ts';
import type { Signalling } from './signalling.ts';

export interface InviteLegUser extends CallDialogUser {
  onProvisional(status: number): void;
  /** The first 2xx. */
  onAccepted(response: SipResponse): void;
  onRefused(response: SipResponse): void;
  onUnanswered(reason: string): void;
}

export interface InviteLegParts {
  readonly invite: SipRequest;
  readonly peer: Address;
  readonly localAddress: string;
}

/** Forks of one INVITE that are hung up properly; a proxy that makes more is not taken seriously. */
const MAX_DIALOGS = 16;

/** What a fork's peer may do with its dialog: nothing, it is being hung up. */
const FORK_USER: CallDialogUser = { onBye: () => undefined, onOffer: () => null, onLateAnswer: () => undefined };

const NOBODY = { onResponse: () => undefined, onFailure: () => undefined };

/**
 * An INVITE of ours and the dialogs that come of it: the first is the call, any other is a fork and is hung up
 * (RFC 3261 13.2.2.4). The user hears of nothing before the constructor has returned.
 */
export class InviteLeg {
  readonly #signalling: Signalling;
  readonly #parts: InviteLegParts;
  readonly #user: InviteLegUser;
  readonly #stopInvite: () => void;
  /** By the To-tag of the 2xx that made them. */
  readonly #dialogs = new Map<string | null, CallDialog>();
  #call: CallDialog | null = null;
  #hasFinalAnswer = false;
  #isTerminated = false;
  #isReleased = false;

  constructor(signalling: Signalling, parts: InviteLegParts, user: InviteLegUser) {
    this.#signalling = signalling;
    this.#parts = parts;
    this.#user = user;
    this.#stopInvite = signalling.clients.start(parts.invite, parts.peer, {
      onResponse: (response) => this.#onResponse(response),
      onFailure: (failure) =>
        user.onUnanswered(failure === 'timeout' ? 'No SIP answer came.' : 'The INVITE could not be sent.'),
      onTerminated: () => this.#terminate(),
    });
  }

  /** Sends CANCEL; to be called only after a provisional answer (RFC 3261 9.1). */
  cancel(): void {
    this.#signalling.clients.start(cancelOf(this.#parts.invite), this.#parts.peer, NOBODY);
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

  #terminate(): void {
    this.#isTerminated = true;
    this.#forgetWhenDone();
  }

  #forgetWhenDone(): void {
    if (this.#isReleased && this.#isTerminated) for (const dialog of this.#dialogs.values()) dialog.forget();
  }

  #onResponse(response: SipResponse): void {
    this.#hasFinalAnswer ||= response.status >= 200;
    if (response.status < 200) this.#user.onProvisional(response.status);
    else if (response.status < 300) this.#onSuccess(response);
    else this.#user.onRefused(response);
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
    const dialog = new CallDialog(this.#signalling, { ...this.#parts, response }, user);
    this.#dialogs.set(tagOf(response.to), dialog);
    return dialog;
  }
}
