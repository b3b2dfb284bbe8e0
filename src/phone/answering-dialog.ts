import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import {
  type AcceptedInviteInput,
  type AcceptedInviteState,
  startAcceptedInvite,
  stepAcceptedInvite,
} from '../sip/accepted-invite.ts';
import type { ClientTransactions } from '../sip/client-transactions.ts';
import { type Dialog, nextHopOf, receiveInDialog, requestInDialog } from '../sip/dialog.ts';
import { defaultPortOf, type Hop, transportOfUri } from '../sip/hop.ts';
import type { Header, SipRequest } from '../sip/message.ts';
import { nameAddr, tagOf } from '../sip/name-addr.ts';
import type { Params } from '../sip/params.ts';
import { type ResponseParts, respond } from '../sip/response.ts';
import { type RunningMachine, runMachine, type WakeAfter } from '../sip/run-machine.ts';
import type { ServerTransaction } from '../sip/server-transactions.ts';
import { bareHost, bracketHost, isSipUri, sipUri } from '../sip/uri.ts';
import { BRANCH_COOKIE, udpVia } from '../sip/via.ts';

export const ALLOW: Header = { name: 'Allow', value: 'INVITE, ACK, CANCEL, BYE, OPTIONS' };
const SDP_TYPE = 'application/sdp';

/** What a dialog needs of the phone it belongs to. */
export interface DialogSurroundings {
  readonly clients: ClientTransactions;
  readonly wakeAfter: WakeAfter;
  /** The phone, as the caller sees it. */
  readonly local: Hop;
  /** Where the INVITE came from: requests go there if the caller's Contact is no address. */
  readonly peer: Hop;
}

export interface AnsweringDialogUser {
  /** The first ACK is in. */
  onAcknowledged(): void;
  /** No ACK came for 64*T1: BYE is due (RFC 3261 13.3.1.4). */
  onUnacknowledged(): void;
  /** The caller hung up, and was answered. */
  onBye(): void;
  /** Judges the SDP of a re-INVITE (null if it has none); gives ours, or null to refuse it. */
  onOffer(offer: Uint8Array | null): string | null;
}

type Acceptance = RunningMachine<AcceptedInviteState, AcceptedInviteInput>;

/** The dialog of a call that comes in, at the end that is called. */
export class AnsweringDialog {
  readonly #around: DialogSurroundings;
  readonly #transaction: ServerTransaction;
  readonly #user: AnsweringDialogUser;
  readonly #localTag: string;
  #dialog: Dialog;
  #acceptance: Acceptance | null = null;
  #isAcknowledged = false;

  constructor(around: DialogSurroundings, transaction: ServerTransaction, dialog: Dialog, user: AnsweringDialogUser) {
    this.#around = around;
    this.#transaction = transaction;
    this.#dialog = dialog;
    this.#user = user;
    this.#localTag = tagOf(dialog.local) ?? '';
  }

  ring(): void {
    this.#answer(this.#transaction, 180, { contact: this.#contact() });
  }

  /** Ends the INVITE with a final status of 300 to 699. */
  refuse(status: number): void {
    this.#answer(this.#transaction, status);
  }

  /** Answers the INVITE with our description, and repeats the 200 until the ACK is in. */
  accept(description: string): void {
    this.#accept(this.#transaction, description);
  }

  /** Sends BYE; `onDone` is called when it is answered, or when nobody will answer. */
  hangUp(onDone: () => void): void {
    this.close();
    const { local, peer, clients } = this.#around;
    const branch = BRANCH_COOKIE + randomBytes(12).toString('hex');
    const via = udpVia(bracketHost(local.address), local.port, branch);
    const { dialog, request } = requestInDialog(this.#dialog, 'BYE', { via });
    this.#dialog = dialog;
    const onResponse = ({ status }: { status: number }): void => {
      if (status >= 200) onDone();
    };
    clients.start(request, this.#targetOf(request) ?? peer, { onResponse, onFailure: onDone });
  }

  /** Takes a request that the caller sent inside the dialog. */
  receive(transaction: ServerTransaction): void {
    const next = receiveInDialog(this.#dialog, transaction.request);
    if (next === null) {
      this.#answer(transaction, 500);
      return;
    }
    this.#dialog = next;
    this.#serve(transaction);
  }

  /** Takes an ACK of a 200. */
  acknowledge(): void {
    this.#acceptance?.input({ kind: 'ack' });
    if (this.#isAcknowledged || this.#acceptance === null) return;
    this.#isAcknowledged = true;
    this.#user.onAcknowledged();
  }

  /** Stops repeating. */
  close(): void {
    this.#acceptance?.stop();
  }

  #serve(transaction: ServerTransaction): void {
    const { method } = transaction.request;
    if (method === 'BYE') this.#end(transaction);
    else if (method === 'INVITE') this.#renegotiate(transaction);
    else if (method === 'OPTIONS') this.#answer(transaction, 200, { headers: [ALLOW] });
    else this.#answer(transaction, 405, { headers: [ALLOW] });
  }

  #end(transaction: ServerTransaction): void {
    this.#answer(transaction, 200);
    this.close();
    this.#user.onBye();
  }

  #renegotiate(transaction: ServerTransaction): void {
    const { body } = transaction.request;
    const description = this.#user.onOffer(body.length === 0 ? null : body);
    if (description === null) this.#answer(transaction, 488);
    else this.#accept(transaction, description);
  }

  #accept(transaction: ServerTransaction, description: string): void {
    const body = new TextEncoder().encode(description);
    const toTag = this.#localTag;
    const parts = { toTag, contact: this.#contact(), headers: [ALLOW], contentType: SDP_TYPE, body };
    const response = respond(transaction.request, 200, parts);
    transaction.answer(response);
    this.close();
    this.#acceptance = runMachine({
      start: startAcceptedInvite(response),
      step: stepAcceptedInvite,
      wakeAfter: this.#around.wakeAfter,
      perform: ({ kind }) => {
        if (kind === 'send') transaction.answer(response);
        if (kind === 'report') this.#user.onUnacknowledged();
      },
    });
  }

  #answer(transaction: ServerTransaction, status: number, parts: ResponseParts = {}): void {
    transaction.answer(respond(transaction.request, status, { toTag: this.#localTag, ...parts }));
  }

  #contact() {
    const { transport, address, port } = this.#around.local;
    const params: Params = transport === 'udp' ? [] : [['transport', transport]];
    return nameAddr(sipUri({ host: bracketHost(address), port, params }));
  }

  /** Null if the next hop is a name: a test phone asks no name server. */
  #targetOf(request: SipRequest): Hop | null {
    const uri = nextHopOf(request);
    const transport = isSipUri(uri) ? transportOfUri(uri) : null;
    if (!isSipUri(uri) || transport === null || isIP(bareHost(uri.host)) === 0) return null;
    const address = bareHost(uri.host);
    const tlsName = transport === 'tls' ? address : null;
    return { transport, address, port: uri.port ?? defaultPortOf(transport), tlsName };
  }
}
