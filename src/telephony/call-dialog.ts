import { readDtmfInfo } from '../rtp/dtmf-info.ts';
import type { Header, SipRequest, SipResponse } from '../sip/message.ts';
import { tokensOf } from '../sip/option-tags.ts';
import { reasonWords } from '../sip/reason.ts';
import { isNextReliable, rackOf, rseqOf } from '../sip/reliable-provisional.ts';
import { type ResponseParts, respond } from '../sip/response.ts';
import type { ServerTransaction } from '../sip/server-transactions.ts';
import { LEAST_SECONDS, minSe } from '../sip/session-timer.ts';
import type { CallMedia } from './call-media.ts';
import { DialogRequests, type DialogRequestsParts } from './dialog-requests.ts';
import { NOT_SELECTED } from './late-answers.ts';
import { OfferExchange } from './offer-exchange.ts';
import { SessionKeeper } from './session-keeper.ts';
import { ALLOW, type DialogUser, EXTENSIONS, type Signalling, SUPPORTED } from './signalling.ts';

export interface CallDialogUser {
  /** The peer hung up, perhaps while we did; it has been answered. `words` are those of its Reason, if it gave one. */
  onBye(words: string | null): void;
  /** The session was not refreshed in time: to be hung up. */
  onSessionLost(reason: string): void;
  /** A key was pressed, told by INFO. */
  onDigit(digit: string): void;
}

export interface CallDialogParts extends DialogRequestsParts {
  readonly media: CallMedia;
}

/** Methods that are known and not for a call like ours; any other that is not served is not implemented. */
const NOT_ALLOWED = ['PRACK', 'REFER', 'NOTIFY', 'SUBSCRIBE', 'MESSAGE', 'PUBLISH', 'REGISTER'];

const NOBODY = { onFinal: () => undefined, onFailure: () => undefined };

const answer = (transaction: ServerTransaction, status: number, parts?: ResponseParts): void =>
  transaction.answer(respond(transaction.request, status, parts));

/** One dialog of an INVITE of ours, early or confirmed (RFC 3261 12): PRACK, ACK, BYE, and what the peer sends in it. */
export class CallDialog implements DialogUser {
  readonly media: CallMedia;
  readonly #signalling: Signalling;
  readonly #invite: SipRequest;
  readonly #user: CallDialogUser;
  readonly #requests: DialogRequests;
  readonly #offers: OfferExchange;
  readonly #session: SessionKeeper;
  #sendAck: (() => void) | null = null;
  #hasEnded = false;
  /** RSeq number of the last reliable provisional answer that was taken. */
  #lastRseq: number | null = null;

  constructor(signalling: Signalling, parts: CallDialogParts, user: CallDialogUser) {
    this.#signalling = signalling;
    this.#invite = parts.invite;
    this.#user = user;
    this.media = parts.media;
    this.#requests = new DialogRequests(signalling, parts);
    const { wakeAfter } = signalling;
    this.#offers = new OfferExchange({ media: parts.media, wakeAfter, answerParts: () => this.#answerParts() });
    this.#session = new SessionKeeper({
      signalling,
      requests: this.#requests,
      offers: this.#offers,
      onLost: (reason) => user.onSessionLost(reason),
    });
    signalling.dialogs.set(this.#requests.key, this);
  }

  get key(): string {
    return this.#requests.key;
  }

  /** What sends the ACK of its 2xx; null before that has come. */
  get ack(): (() => void) | null {
    return this.#sendAck;
  }

  /** Whether its 2xx has come. */
  get isConfirmed(): boolean {
    return this.#sendAck !== null;
  }

  /** Takes a provisional answer. One that is sent reliably gets its PRACK, and its SDP is the answer (RFC 3262 4, 5). */
  onProvisional(response: SipResponse): void {
    const rseq = rseqOf(response);
    if (rseq === null || !isNextReliable(this.#lastRseq, rseq)) return;
    this.#lastRseq = rseq;
    if (response.body.length > 0) this.#offers.answeredEarly(response.body);
    this.#requests.send('PRACK', { headers: [rackOf(response, rseq)] }, NOBODY);
  }

  /** The 2xx has come. */
  confirm(response: SipResponse): void {
    this.#requests.confirm(response);
    this.#offers.confirm();
    this.#sendAck = this.#requests.ackOf(this.#invite);
    if (!this.#hasEnded) this.#session.begin(response);
  }

  /** Sends the ACK of the 2xx, as often as the 2xx is repeated. */
  acknowledge(): void {
    this.#sendAck?.();
  }

  /**
   * Sends BYE; `onDone` is called when it is answered, a challenge apart, or nobody will answer. No BYE if the dialog
   * has ended.
   */
  hangUp(reason: Header, onDone: () => void): void {
    if (this.#hasEnded) {
      onDone();
      return;
    }
    this.#end();
    this.#requests.send('BYE', { headers: [reason] }, { onFinal: onDone, onFailure: onDone });
  }

  /** Hangs up a fork that answered after another had (RFC 3261 13.2.2.4). */
  hangUpSurplus(): void {
    this.acknowledge();
    this.hangUp(NOT_SELECTED, () => undefined);
  }

  /** Stops answering for the dialog: the peer's requests meet 481 from now on. */
  forget(): void {
    this.#end();
    this.#signalling.dialogs.delete(this.#requests.key);
  }

  onRequest(transaction: ServerTransaction): void {
    if (this.#requests.receive(transaction.request)) this.#serve(transaction);
    else answer(transaction, 500);
  }

  onAck(ack: SipRequest): void {
    if (ack.cseq.number === this.#requests.remoteSeq) this.#offers.onAck(ack);
  }

  #end(): void {
    this.#hasEnded = true;
    this.#offers.stop();
    this.#session.stop();
  }

  #answerParts(): ResponseParts {
    return { ...this.#requests.contact, headers: [ALLOW, SUPPORTED] };
  }

  #serve(transaction: ServerTransaction): void {
    const { method } = transaction.request;
    const unknown = tokensOf(transaction.request, 'Require').filter((tag) => !EXTENSIONS.includes(tag.toLowerCase()));
    if (method === 'BYE') this.#onBye(transaction);
    else if (this.#hasEnded) answer(transaction, 481);
    // RFC 3261 8.2.2.3. Whoever hangs up is not refused all the same.
    else if (unknown.length > 0) {
      answer(transaction, 420, { headers: [{ name: 'Unsupported', value: unknown.join(', ') }] });
    } else if (method === 'INVITE' || method === 'UPDATE') this.#onRefresh(transaction, method);
    else if (method === 'INFO') this.#onInfo(transaction);
    else if (method === 'OPTIONS') answer(transaction, 200, { headers: [ALLOW, SUPPORTED] });
    else answer(transaction, NOT_ALLOWED.includes(method) ? 405 : 501, { headers: [ALLOW] });
  }

  /** Whatever else it tells is taken and not understood (RFC 6086 4.2.2 asks for 200 where no package is named). */
  #onInfo(transaction: ServerTransaction): void {
    const { contentType, body } = transaction.request;
    answer(transaction, 200, { headers: [ALLOW, SUPPORTED] });
    const pressed = readDtmfInfo(contentType ?? '', body);
    if (pressed) this.#user.onDigit(pressed.digit);
  }

  #onBye(transaction: ServerTransaction): void {
    this.#end();
    answer(transaction, 200);
    this.#user.onBye(reasonWords(transaction.request));
  }

  #onRefresh(transaction: ServerTransaction, method: 'INVITE' | 'UPDATE'): void {
    const judged = this.#session.judge(transaction.request);
    if (!judged.ok) answer(transaction, 422, { headers: [minSe(LEAST_SECONDS)] });
    else if (this.#offers.answer(transaction, method, judged.headers) && this.isConfirmed) {
      this.#session.answered(judged.timer);
    }
  }
}
