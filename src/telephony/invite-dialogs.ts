import type { Hop } from '../sip/hop.ts';
import type { SipResponse } from '../sip/message.ts';
import { tagOf } from '../sip/name-addr.ts';
import { CallDialog } from './call-dialog.ts';
import type { CallMedia } from './call-media.ts';
import { MAX_DIALOGS, type Remains } from './late-answers.ts';
import type { Signalling } from './signalling.ts';
import type { TrunkLogin } from './trunk-login.ts';
import type { Try } from './try-hops.ts';

/** Hears of the dialog that is the call, or is to become it. */
export interface InviteDialogsUser {
  /** The called party hung up; `words` are those of its Reason, if it gave one. */
  onBye(words: string | null): void;
  onSessionLost(reason: string): void;
  /** A key was pressed, by INFO. */
  onDigit(digit: string): void;
}

export interface InviteDialogsParts {
  readonly login: TrunkLogin;
  readonly localAddressOf: (hop: Hop) => string;
  /** Makes our side of offer and answer for one more dialog. */
  readonly createMedia: (localAddress: string) => CallMedia;
}

/**
 * The dialogs that come of our INVITE, one for each To-tag: the first to be confirmed is the call, any other is a fork
 * and is hung up (RFC 3261 12.1, 13.2.2.4).
 */
export class InviteDialogs {
  readonly #signalling: Signalling;
  readonly #parts: InviteDialogsParts;
  readonly #user: InviteDialogsUser;
  readonly #byTag = new Map<string | null, CallDialog>();
  #call: CallDialog | null = null;

  constructor(signalling: Signalling, parts: InviteDialogsParts, user: InviteDialogsUser) {
    this.#signalling = signalling;
    this.#parts = parts;
    this.#user = user;
  }

  /** The one that is the call; null before a 2xx. */
  get call(): CallDialog | null {
    return this.#call;
  }

  /** What is still of use of those that are confirmed, once the call is over. */
  remains(): Pick<Remains, 'acks' | 'keys'> {
    const confirmed = [...this.#byTag].flatMap(([tag, { ack, key }]) => (ack ? [{ tag, ack, key }] : []));
    return { acks: new Map(confirmed.map(({ tag, ack }) => [tag, ack])), keys: confirmed.map(({ key }) => key) };
  }

  onProvisional(response: SipResponse, by: Try): void {
    if (response.status > 100 && tagOf(response.to) !== null) this.#dialogOf(response, by)?.onProvisional(response);
  }

  /** The first 2xx; the dialog that is the call from now on, null if there are too many. */
  confirm(response: SipResponse, by: Try): CallDialog | null {
    const dialog = this.#dialogOf(response, by);
    this.#call = dialog;
    dialog?.confirm(response);
    return dialog;
  }

  /** A 2xx that is not the call's first: repeated, of a fork, or to an INVITE that was given up too long ago. */
  onStray(response: SipResponse, by: Try): void {
    if (response.status < 200 || response.status >= 300) return;
    const dialog = this.#dialogOf(response, by);
    if (dialog?.isConfirmed) dialog.acknowledge();
    else {
      dialog?.confirm(response);
      dialog?.hangUpSurplus();
    }
  }

  /** A refusal ends every early dialog (RFC 3261 12.3). */
  forgetEarly(): void {
    for (const [tag, dialog] of this.#byTag) {
      if (dialog.isConfirmed) continue;
      dialog.forget();
      this.#byTag.delete(tag);
    }
  }

  forget(): void {
    for (const dialog of this.#byTag.values()) dialog.forget();
    this.#byTag.clear();
  }

  /** The dialog of an answer's To-tag, made by its first answer. Null if there are too many. */
  #dialogOf(response: SipResponse, { request, hop }: Try): CallDialog | null {
    const tag = tagOf(response.to);
    const known = this.#byTag.get(tag);
    if (known || this.#byTag.size >= MAX_DIALOGS) return known ?? null;
    // What is confirmed without being the call is being hung up.
    const isTheCall = (): boolean => (this.#call ? this.#call === dialog : !dialog.isConfirmed);
    const { localAddressOf, login, createMedia } = this.#parts;
    const localAddress = localAddressOf(hop);
    const dialog: CallDialog = new CallDialog(
      this.#signalling,
      { invite: request, response, localAddress, peer: hop, login, media: createMedia(localAddress) },
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
    this.#byTag.set(tag, dialog);
    return dialog;
  }
}
