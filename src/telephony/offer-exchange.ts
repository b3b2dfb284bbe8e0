import {
  type AcceptedInviteInput,
  type AcceptedInviteState,
  startAcceptedInvite,
  stepAcceptedInvite,
} from '../sip/accepted-invite.ts';
import type { Header, SipRequest } from '../sip/message.ts';
import { isGlare, type OfferState } from '../sip/offer-state.ts';
import { type ResponseParts, respond } from '../sip/response.ts';
import { type RunningMachine, runMachine, type WakeAfter } from '../sip/run-machine.ts';
import type { ServerTransaction } from '../sip/server-transactions.ts';
import type { CallMedia } from './call-media.ts';

export interface OfferExchangeParts {
  readonly media: CallMedia;
  readonly wakeAfter: WakeAfter;
  /** What every 2xx to a re-INVITE or UPDATE carries beside its SDP. */
  readonly answerParts: () => ResponseParts;
}

const sdpParts = (description: string): ResponseParts => ({
  contentType: 'application/sdp',
  body: new TextEncoder().encode(description),
});

/** Who offers and who answers in one dialog, from our INVITE to its end (RFC 3264, RFC 6337). */
export class OfferExchange {
  readonly #parts: OfferExchangeParts;
  #state: OfferState = 'inviting';
  /** Our 200 to the latest re-INVITE, on its way to an ACK. */
  #accepted: RunningMachine<AcceptedInviteState, AcceptedInviteInput> | null = null;

  constructor(parts: OfferExchangeParts) {
    this.#parts = parts;
  }

  /** A reliable provisional answer with SDP: that is the answer (RFC 3262 5). */
  answeredEarly(answer: Uint8Array): void {
    if (this.#state !== 'inviting') return;
    this.#parts.media.takeAnswer(answer);
    this.#state = 'answered';
  }

  /** The 2xx has come. */
  confirm(): void {
    this.#state = 'stable';
  }

  /** The offer of a re-INVITE of ours that changes nothing; null while another exchange is under way. */
  reinvite(): string | null {
    if (this.#state !== 'stable') return null;
    this.#state = 'reinviting';
    return this.#parts.media.offerAgain();
  }

  /** Our re-INVITE has its final answer; null if it was refused. */
  reinvited(answer: Uint8Array | null): void {
    this.#state = 'stable';
    if (answer) this.#parts.media.takeLateAnswer(answer);
  }

  /** Answers a re-INVITE or UPDATE; whether with 2xx. `headers` go into that. */
  answer(transaction: ServerTransaction, method: 'INVITE' | 'UPDATE', headers: readonly Header[]): boolean {
    const { request } = transaction;
    const offer = request.body.length === 0 ? null : request.body;
    if (isGlare(this.#state, method, offer !== null)) return this.#refuse(transaction, 491);
    const description = offer || method === 'INVITE' ? this.#parts.media.answerOffer(offer) : '';
    if (description === null) return this.#refuse(transaction, 488);
    const { headers: ownHeaders = [], ...parts } = this.#parts.answerParts();
    const sdp = description === '' ? {} : sdpParts(description);
    const response = respond(request, 200, { ...parts, ...sdp, headers: [...ownHeaders, ...headers] });
    transaction.answer(response);
    if (method === 'INVITE') this.#awaitAck(transaction, response, offer === null);
    return true;
  }

  onAck(ack: SipRequest): void {
    if (!this.#accepted) return;
    this.#accepted.input({ kind: 'ack' });
    if (this.#state !== 'offering') return;
    this.#state = 'stable';
    if (ack.body.length > 0) this.#parts.media.takeLateAnswer(ack.body);
  }

  stop(): void {
    this.#accepted?.stop();
  }

  #refuse(transaction: ServerTransaction, status: number): false {
    transaction.answer(respond(transaction.request, status));
    return false;
  }

  #awaitAck(transaction: ServerTransaction, response: ReturnType<typeof respond>, isOffer: boolean): void {
    this.#accepted?.stop();
    if (isOffer) this.#state = 'offering';
    this.#accepted = runMachine({
      start: startAcceptedInvite(response),
      step: stepAcceptedInvite,
      wakeAfter: this.#parts.wakeAfter,
      perform: (effect) => {
        if (effect.kind === 'send') transaction.answer(response);
        // No ACK at all is left to the peer's BYE or to the end of the message: the voice goes on meanwhile.
        else if (this.#state === 'offering') this.#state = 'stable';
      },
    });
  }
}
