import type { Log, RandomSource } from '../domain/ports.ts';
import type { ClientTransactions } from '../sip/client-transactions.ts';
import { keyOfRequest } from '../sip/dialog.ts';
import type { SendOctets, Source } from '../sip/hop.ts';
import type { SipRequest, SipResponse } from '../sip/message.ts';
import { parseMessage } from '../sip/parse.ts';
import { refuseUnreadable } from '../sip/refusal.ts';
import { respond } from '../sip/response.ts';
import type { ServerTransactions } from '../sip/server-transactions.ts';
import { type Address, stampVia } from '../sip/via.ts';
import { answerOutsideDialog, type OutsideAnswer } from './outside-dialog.ts';
import { ALLOW, type DialogUser } from './signalling.ts';
import type { OnMessage } from './sip-transport.ts';

export interface ReceiverParts {
  readonly clients: ClientTransactions;
  readonly servers: ServerTransactions;
  readonly dialogs: ReadonlyMap<string, DialogUser>;
  readonly send: SendOctets;
  /** Whether the address is a peer's. Strangers get silence, whatever they say. */
  readonly isKnown: (from: Address) => boolean;
  /** Hears of answers that belong to no transaction. */
  readonly onStray: (answer: SipResponse, from: Source) => void;
  readonly random: RandomSource;
  readonly log: Log;
}

/** Takes messages to the transaction or dialog that they belong to (RFC 3261 17.1.3, 17.2.3, 12.2.2). Never throws. */
export const createReceiver = (parts: ReceiverParts): OnMessage => {
  const { servers, dialogs, log } = parts;

  const answerOutside = (request: SipRequest, from: Source, { status, headers }: OutsideAnswer): void => {
    const transaction = servers.open(request, from);
    transaction?.answer(respond(request, status, { toTag: parts.random.hex(8), headers }));
  };

  const onAck = (ack: SipRequest): void => dialogs.get(keyOfRequest(ack))?.onAck(ack);

  /** RFC 3261 9.2: what can be cancelled here is a re-INVITE, and that is answered at once. */
  const onCancel = (request: SipRequest, from: Source): void =>
    answerOutside(request, from, { status: servers.findCancelled(request) ? 200 : 481, headers: [ALLOW] });

  const onNewRequest = (request: SipRequest, from: Source): void => {
    const user = dialogs.get(keyOfRequest(request));
    if (!user && !parts.isKnown(from)) log.debug({ from, method: request.method }, 'dropped a request of a stranger');
    // Before the dialog sees it: CANCEL has the CSeq number of its INVITE, and would be out of order there.
    else if (request.method === 'CANCEL') onCancel(request, from);
    else if (user) {
      const acks = request.method === 'INVITE' ? { onAck: (ack: SipRequest) => user.onAck(ack) } : {};
      const transaction = servers.open(request, from, acks);
      if (transaction) user.onRequest(transaction);
    } else answerOutside(request, from, answerOutsideDialog(request));
  };

  /** RFC 3261 18.3: a request without Content-Length in a stream is answered 400. */
  const onUnframed = (request: SipRequest, from: Source): void => {
    if (request.method !== 'ACK' && parts.isKnown(from))
      answerOutside(request, from, { status: 400, headers: [ALLOW] });
  };

  const onRequest = (received: SipRequest, from: Source, isUnframed: boolean): void => {
    const [via, ...vias] = received.vias;
    const request: SipRequest = { ...received, vias: [stampVia(via, from), ...vias] };
    if (isUnframed) onUnframed(request, from);
    else if (servers.receive(request)) return;
    else if (request.method === 'ACK') onAck(request);
    else onNewRequest(request, from);
  };

  const onUnreadable = (octets: Uint8Array, from: Source, problem: string): void => {
    log.debug({ from, problem }, 'what came is no SIP message');
    if (!parts.isKnown(from)) return;
    const refusal = refuseUnreadable(octets, { problem, toTag: parts.random.hex(8), headers: [ALLOW] });
    if (refusal) parts.send(refusal, from);
  };

  return (octets, from, isUnframed = false) => {
    const result = parseMessage(octets);
    if (!result.ok) onUnreadable(octets, from, result.problem);
    else if (result.message.kind === 'request') onRequest(result.message, from, isUnframed);
    else if (!parts.clients.receive(result.message, from)) {
      log.debug({ from }, 'a response answers nothing of this process');
      parts.onStray(result.message, from);
    }
  };
};
