import type { Log, RandomSource } from '../domain/ports.ts';
import type { ClientTransactions } from '../sip/client-transactions.ts';
import { keyOfRequest } from '../sip/dialog.ts';
import type { SipRequest } from '../sip/message.ts';
import { tagOf } from '../sip/name-addr.ts';
import { parseMessage } from '../sip/parse.ts';
import { respond } from '../sip/response.ts';
import type { ServerTransactions } from '../sip/server-transactions.ts';
import { type Address, stampVia } from '../sip/via.ts';
import { ALLOW, ALLOWED_METHODS, type DialogUser } from './signalling.ts';

export interface ReceiverParts {
  readonly clients: ClientTransactions;
  readonly servers: ServerTransactions;
  readonly dialogs: ReadonlyMap<string, DialogUser>;
  /** Whether the address is a peer's. Strangers get silence, whatever they say. */
  readonly isKnown: (from: Address) => boolean;
  readonly random: RandomSource;
  readonly log: Log;
}

/** Status for a request that is no part of a dialog: we answer OPTIONS, and take no calls. */
const statusOutsideDialog = (method: string): number => {
  if (method === 'OPTIONS') return 200;
  if (method === 'INVITE') return 480;
  return ALLOWED_METHODS.includes(method) ? 481 : 405;
};

/** Takes datagrams to the transaction or dialog that they belong to (RFC 3261 17.1.3, 17.2.3, 12.2.2). Never throws. */
export const createReceiver = (parts: ReceiverParts): ((octets: Uint8Array, from: Address) => void) => {
  const { servers, dialogs, log } = parts;

  const answerOutside = (request: SipRequest, from: Address, status: number): void => {
    const transaction = servers.open(request, from);
    transaction?.answer(respond(request, status, { toTag: parts.random.hex(8), headers: [ALLOW] }));
  };

  const onAck = (ack: SipRequest): void => dialogs.get(keyOfRequest(ack))?.onAck(ack);

  /** RFC 3261 9.2: what can be cancelled here is a re-INVITE, and that is answered at once. */
  const onCancel = (request: SipRequest, from: Address): void =>
    answerOutside(request, from, servers.findCancelled(request) ? 200 : 481);

  const onNewRequest = (request: SipRequest, from: Address): void => {
    const user = dialogs.get(keyOfRequest(request));
    if (!user && !parts.isKnown(from)) log.debug({ from, method: request.method }, 'dropped a request of a stranger');
    // Before the dialog sees it: CANCEL has the CSeq number of its INVITE, and would be out of order there.
    else if (request.method === 'CANCEL') onCancel(request, from);
    else if (user) {
      const transaction = servers.open(request, from, { onAck: (ack) => user.onAck(ack) });
      if (transaction) user.onRequest(transaction);
    } else answerOutside(request, from, tagOf(request.to) === null ? statusOutsideDialog(request.method) : 481);
  };

  const onRequest = (received: SipRequest, from: Address): void => {
    const [via, ...vias] = received.vias;
    const request: SipRequest = { ...received, vias: [stampVia(via, from), ...vias] };
    if (servers.receive(request)) return;
    if (request.method === 'ACK') onAck(request);
    else onNewRequest(request, from);
  };

  return (octets, from) => {
    const result = parseMessage(octets);
    if (!result.ok) log.debug({ from, problem: result.problem }, 'dropped a datagram that is no SIP message');
    else if (result.message.kind === 'request') onRequest(result.message, from);
    else if (!parts.clients.receive(result.message)) log.debug({ from }, 'dropped a response that answers nothing');
  };
};
