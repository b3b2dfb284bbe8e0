import {
  type AcceptedInviteInput,
  type AcceptedInviteState,
  startAcceptedInvite,
  stepAcceptedInvite,
} from '../sip/accepted-invite.ts';
import {
  ackInDialog,
  type Dialog,
  dialogOfAnswer,
  keyOfDialog,
  receiveInDialog,
  requestInDialog,
} from '../sip/dialog.ts';
import type { Hop } from '../sip/hop.ts';
import { findHeader, type SipRequest, type SipResponse } from '../sip/message.ts';
import { requestOver } from '../sip/request.ts';
import { type ResponseParts, respond } from '../sip/response.ts';
import { type RunningMachine, runMachine } from '../sip/run-machine.ts';
import { serializeMessage } from '../sip/serialize.ts';
import type { ServerTransaction } from '../sip/server-transactions.ts';
import type { Via } from '../sip/via.ts';
import { ALLOW, type DialogUser, newBranch, type Signalling, viaOf, withNextHop } from './signalling.ts';
import { credentialsOf, type TrunkLogin } from './trunk-login.ts';

export interface CallDialogUser {
  /** The peer hung up, perhaps while we did; it has been answered. */
  onBye(): void;
  /** Judges the SDP of a re-INVITE (null if it has none) and answers with ours, or null if it cannot be used. */
  onOffer(offer: Uint8Array | null): string | null;
  /** The SDP of an ACK: the answer to an offer that our 200 made. */
  onLateAnswer(answer: Uint8Array): void;
}

export interface CallDialogParts {
  readonly invite: SipRequest;
  readonly response: SipResponse;
  readonly localAddress: string;
  /** Where the INVITE went. */
  readonly peer: Hop;
  readonly login: TrunkLogin;
}

/** Methods that are known and not for a call like ours; any other that is not served is not implemented. */
const NOT_ALLOWED = ['UPDATE', 'PRACK', 'REFER', 'NOTIFY', 'SUBSCRIBE', 'MESSAGE', 'PUBLISH', 'REGISTER'];

const answer = (transaction: ServerTransaction, status: number, parts?: ResponseParts): void =>
  transaction.answer(respond(transaction.request, status, parts));

/** One confirmed dialog of an INVITE of ours: its ACK, its BYE, and what the peer sends inside it. */
export class CallDialog implements DialogUser {
  readonly #signalling: Signalling;
  readonly #parts: CallDialogParts;
  readonly #user: CallDialogUser;
  readonly #ack: SipRequest;
  #dialog: Dialog;
  #hasEnded = false;
  /** Our 200 to the latest re-INVITE, on its way to an ACK. */
  #reinvite: RunningMachine<AcceptedInviteState, AcceptedInviteInput> | null = null;

  constructor(signalling: Signalling, parts: CallDialogParts, user: CallDialogUser) {
    this.#signalling = signalling;
    this.#parts = parts;
    this.#user = user;
    this.#dialog = dialogOfAnswer(parts.invite, parts.response);
    this.#ack = ackInDialog(this.#dialog, parts.invite.cseq.number, this.#newVia(), credentialsOf(parts.invite));
    signalling.dialogs.set(keyOfDialog(this.#dialog), this);
  }

  /** Sends the ACK of the 2xx; each time the same octets, as often as the 2xx is repeated (RFC 3261 13.2.2.4). */
  acknowledge(): void {
    const { log, send, portOf } = this.#signalling;
    const onError = (error: Error): void =>
      log.warn({ err: error, callId: this.#ack.callId }, 'an ACK could not be sent');
    withNextHop(this.#signalling, this.#ack, this.#parts.peer, (to) => {
      const { transport } = to;
      send(serializeMessage(requestOver(this.#ack, transport, portOf(transport))), to, onError);
    });
  }

  /**
   * Sends BYE; `onDone` is called when it is answered, a challenge apart, or nobody will answer. No BYE if the dialog
   * has ended.
   */
  hangUp(onDone: () => void): void {
    if (this.#hasEnded) {
      onDone();
      return;
    }
    this.#end();
    const { dialog, request } = requestInDialog(this.#dialog, 'BYE', { via: this.#newVia() });
    this.#dialog = dialog;
    const { login, peer } = this.#parts;
    const answerChallenge = login.answerer();
    const send = (bye: SipRequest, to: Hop): void => {
      const onResponse = (response: SipResponse): void => {
        if (response.status < 200) return;
        const again = answerChallenge(bye, response, to);
        if (again) send(again, to);
        else onDone();
      };
      this.#signalling.clients.start(bye, to, { onResponse, onFailure: onDone });
    };
    withNextHop(this.#signalling, request, peer, (to) => send(login.sign(request, to), to));
  }

  /** Stops answering for the dialog: the peer's requests meet 481 from now on. */
  forget(): void {
    this.#end();
    this.#signalling.dialogs.delete(keyOfDialog(this.#dialog));
  }

  onRequest(transaction: ServerTransaction): void {
    const next = receiveInDialog(this.#dialog, transaction.request);
    if (!next) {
      answer(transaction, 500);
      return;
    }
    this.#dialog = next;
    this.#serve(transaction);
  }

  onAck(ack: SipRequest): void {
    if (!this.#reinvite || ack.cseq.number !== this.#dialog.remoteSeq) return;
    this.#reinvite.input({ kind: 'ack' });
    if (ack.body.length > 0) this.#user.onLateAnswer(ack.body);
  }

  #newVia(): Via {
    return viaOf(this.#signalling, this.#parts.localAddress, newBranch(this.#signalling.random));
  }

  #end(): void {
    this.#hasEnded = true;
    this.#reinvite?.stop();
  }

  #serve(transaction: ServerTransaction): void {
    const { method } = transaction.request;
    const required = findHeader(transaction.request, 'Require');
    if (method === 'BYE') this.#onBye(transaction);
    else if (this.#hasEnded) answer(transaction, 481);
    // RFC 3261 8.2.2.3: we know no extensions. Whoever hangs up is not refused all the same.
    else if (required !== null) answer(transaction, 420, { headers: [{ name: 'Unsupported', value: required }] });
    else if (method === 'INVITE') this.#onReinvite(transaction);
    else if (method === 'OPTIONS' || method === 'INFO') answer(transaction, 200, { headers: [ALLOW] });
    else answer(transaction, NOT_ALLOWED.includes(method) ? 405 : 501, { headers: [ALLOW] });
  }

  #onBye(transaction: ServerTransaction): void {
    this.#end();
    answer(transaction, 200);
    this.#user.onBye();
  }

  #onReinvite(transaction: ServerTransaction): void {
    const { body } = transaction.request;
    const description = this.#user.onOffer(body.length === 0 ? null : body);
    if (description === null) answer(transaction, 488);
    else this.#acceptReinvite(transaction, description);
  }

  #acceptReinvite(transaction: ServerTransaction, description: string): void {
    const plain = respond(transaction.request, 200, {
      headers: [ALLOW],
      contentType: 'application/sdp',
      body: new TextEncoder().encode(description),
    });
    const response = { ...plain, contacts: this.#parts.invite.contacts };
    transaction.answer(response);
    this.#reinvite?.stop();
    this.#reinvite = runMachine({
      start: startAcceptedInvite(response),
      step: stepAcceptedInvite,
      wakeAfter: this.#signalling.wakeAfter,
      // No ACK at all is left to the peer's BYE or to the end of the message: the voice goes on meanwhile.
      perform: (effect) => {
        if (effect.kind === 'send') transaction.answer(response);
      },
    });
  }
}
