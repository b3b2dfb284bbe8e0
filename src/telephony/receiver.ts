import type { Log, RandomSource } from '../domain/ports.ts';
import type { ClientTransactions } from '../sip/client-transactions.ts';
import { keyOfRequest } from '../sip/dialog.ts';
import type { SipRequest } from '../sip/message.ts';
import { parseMessage } from '../sip/parse.ts';
import { refuseUnreadable } from '../sip/refusal.ts';
import { respond } from '../sip/response.ts';
import type { SendOctets, ServerTransactions } from '../sip/server-transactions.ts';
import { type Address, stampVia } from '../sip/via.ts';
import { answerOutsideDialog, type OutsideAnswer } from './outside-dialog.ts';
import { ALLOW, type DialogUser } from './signalling.ts';

export interface ReceiverParts {
  readonly clients: ClientTransactions;
  readonly servers: ServerTransactions;
  readonly dialogs: ReadonlyMap<string, DialogUser>;
  readonly send: SendOctets;
  /** Whether the address is a peer's. Strangers get silence, whatever they say. */
  readonly isKnown: (from: Address) => boolean;
  readonly random: RandomSource;
  readonly log: Log;
}

/** Takes datagrams to the transaction or dialog that they belong to (RFC 3261 17.1.3, 17.2.3, 12.2.2). Never throws. */
export const createReceiver = (parts: ReceiverParts): ((octets: Uint8Array, from: Address) => void) => {
  const { servers, dialogs, log } = parts;

  const answerOutside = (request: SipRequest, from: Address, { status, headers }: OutsideAnswer): void => {
    const transaction = servers.open(request, from);
    transaction?.answer(respond(request, status, { toTag: parts.random.hex(8), headers }));
  };

  const onAck = (ack: SipRequest): void => dialogs.get(keyOfRequest(ack))?.onAck(ack);

  /** RFC 3261 9.2: what can be cancelled here is a re-INVITE, and that is answered at once. */
  const onCancel = (request: SipRequest, from: Address): void =>
    answerOutside(request, from, { status: servers.findCancelled(request) ? 200 : 481, headers: [ALLOW] });

  const onNewRequest = (request: SipRequest, from: Address): void => {
    const user = dialogs.get(keyOfRequest(request));
    if (!user && !parts.isKnown(from)) log.debug({ from, method: request.method }, 'dropped a request of a stranger');
    // Before the dialog sees it: CANCEL has the CSeq number of its INVITE, and would be out of order there.
    else if (request.method === 'CANCEL') onCancel(request, from);
    else if (user) {
      const transaction = servers.open(request, from, { onAck: (ack) => user.onAck(ack) });
      if (transaction) user.onRequest(transaction);
    } else answerOutside(request, from, answerOutsideDialog(request));
  };

  const onRequest = (received: SipRequest, from: Address): void => {
    const [via, ...vias] = received.vias;
    const request: SipRequest = { ...received, vias: [stampVia(via, from), ...vias] };
    if (servers.receive(request)) return;
    if (request.method === 'ACK') onAck(request);
    else onNewRequest(request, from);
  };

  const onUnreadable = (octets: Uint8Array, from: Address, problem: string): void => {
    log.debug({ from, problem }, 'a datagram is no SIP message');
    if (!parts.isKnown(from)) return;
    const refusal = refuseUnreadable(octets, { problem, toTag: parts.random.hex(8), headers: [ALLOW] });
    if (refusal) parts.send(refusal, from);
  };

  return (octets, from) => {
    const result = parseMessage(octets);
    if (!result.ok) onUnreadable(octets, from, result.problem);
    else if (result.message.kind === 'request') onRequest(result.message, from);
    else if (!parts.clients.receive(result.message)) log.debug({ from }, 'dropped a response that answers nothing');
  };
};
