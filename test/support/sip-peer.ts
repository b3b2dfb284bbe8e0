import { type AcceptedInviteInput, startAcceptedInvite, stepAcceptedInvite } from '../../src/sip/accepted-invite.ts';
import { createClientTransactions } from '../../src/sip/client-transactions.ts';
import {
  ackInDialog,
  type Dialog,
  dialogOfInvite,
  keyOfDialog,
  keyOfRequest,
  requestInDialog,
} from '../../src/sip/dialog.ts';
import type { Source } from '../../src/sip/hop.ts';
import type { SipRequest, SipResponse } from '../../src/sip/message.ts';
import { nameAddr } from '../../src/sip/name-addr.ts';
import { parseMessage } from '../../src/sip/parse.ts';
import { type ResponseParts, respond } from '../../src/sip/response.ts';
import { type RunningMachine, runMachine } from '../../src/sip/run-machine.ts';
import { serializeMessage } from '../../src/sip/serialize.ts';
import { createServerTransactions, type ServerTransaction } from '../../src/sip/server-transactions.ts';
import { sipUri } from '../../src/sip/uri.ts';
import { stampVia, udpVia } from '../../src/sip/via.ts';
import type { SipTransport } from '../../src/telephony/sip-transport.ts';
import type { PeerScript } from './peer-script.ts';
import type { VirtualClock } from './virtual-clock.ts';

export type PeerCallState = 'invited' | 'refused' | 'cancelled' | 'answered' | 'talking' | 'ended';

/** One call as the called party sees it. */
export interface PeerCall {
  readonly invite: SipRequest;
  state: PeerCallState;
  dialog: Dialog;
  /** Answers the INVITE, in the dialog of this call. */
  say(status: number, parts?: ResponseParts): void;
  /** Sends a request inside the dialog; the final answer, or null if none came. */
  ask(method: string, parts?: ResponseParts): Promise<SipResponse | null>;
  /** Sends a request inside the dialog; the answer's status, or null if none came. */
  request(method: string, parts?: ResponseParts): Promise<number | null>;
  hangUp(): Promise<number | null>;
}

/** A called party over the same pure `sip/` code: the other end of the conversation. */
export interface SipPeer {
  readonly calls: PeerCall[];
  /** Every request that came, repeated ones included. */
  readonly received: SipRequest[];
  readonly transactions: number;
}

export const sdpOf = (address: string, port = 40_000, body = ''): string =>
  [
    'v=0',
    `o=- 7 1 IN IP4 ${address}`,
    's=-',
    `c=IN IP4 ${address}`,
    't=0 0',
    `m=audio ${port} RTP/AVP 0 8`,
    'a=rtpmap:0 PCMU/8000',
    `${body}`,
  ]
    .filter((line) => line !== '')
    .join('\r\n')
    .concat('\r\n');

export const createSipPeer = (options: {
  readonly transport: SipTransport;
  readonly clock: VirtualClock;
  readonly script: PeerScript;
}): SipPeer => {
  const { transport, clock, script } = options;
  const { wakeAfter } = clock;
  const table = { send: transport.send, wakeAfter, limit: 1_000 };
  const servers = createServerTransactions(table);
  const clients = createClientTransactions(table);
  const inDialog = new Map<string, (transaction: ServerTransaction | null, request: SipRequest) => void>();
  const calls: PeerCall[] = [];
  const received: SipRequest[] = [];
  const contact = nameAddr(sipUri({ user: 'peer', host: transport.address, port: transport.port }));
  let lastId = 0;
  const newId = (): string => `${transport.address}-${transport.port}-${++lastId}`;

  const serve = (
    transaction: ServerTransaction,
    repeatUntilAck: (transaction: ServerTransaction, response: SipResponse) => void,
  ): void => {
    const body = new TextEncoder().encode(sdpOf(transport.address));
    const isInvite = transaction.request.method === 'INVITE';
    const usual = { status: 200, parts: isInvite ? { contact, contentType: 'application/sdp', body } : {} };
    const answer = script.serve ? script.serve(transaction.request) : usual;
    if (!answer) return;
    const response = respond(transaction.request, answer.status, answer.parts ?? usual.parts);
    transaction.answer(response);
    if (isInvite && answer.status < 300) repeatUntilAck(transaction, response);
  };

  const openCall = (transaction: ServerTransaction, from: Source): void => {
    const invite = transaction.request;
    const toTag = `to-${newId()}`;
    const dialog = dialogOfInvite(invite, toTag);
    if (!dialog) throw new Error('The INVITE has no Contact.');
    let waitForAck: RunningMachine<unknown, AcceptedInviteInput> | null = null;

    const ask = (method: string, parts: ResponseParts = {}): Promise<SipResponse | null> => {
      const via = udpVia(transport.address, transport.port, `z9hG4bK-${newId()}`);
      const built = requestInDialog(call.dialog, method, { via, contact, ...parts });
      call.dialog = built.dialog;
      return new Promise((resolve) => {
        const onResponse = (response: SipResponse): void => {
          if (response.status < 200) return;
          if (method === 'INVITE' && response.status < 300) acknowledge(built.request);
          resolve(response);
        };
        clients.start(built.request, from, { onResponse, onFailure: () => resolve(null) });
      });
    };

    const request = async (method: string, parts: ResponseParts = {}): Promise<number | null> =>
      (await ask(method, parts))?.status ?? null;

    const acknowledge = (reinvite: SipRequest): void => {
      const via = udpVia(transport.address, transport.port, `z9hG4bK-${newId()}`);
      const ack = ackInDialog(call.dialog, reinvite.cseq.number, via);
      transport.send(serializeMessage(ack), from);
    };

    const call: PeerCall = {
      invite,
      state: 'invited',
      dialog,
      ask,
      request,
      say: (status, parts = {}) => transaction.answer(respond(invite, status, { toTag, contact, ...parts })),
      hangUp: () => {
        call.state = 'ended';
        waitForAck?.stop();
        return request('BYE');
      },
    };

    const repeatUntilAck = (accepted: ServerTransaction, response: SipResponse): void => {
      waitForAck?.stop();
      waitForAck = runMachine({
        start: startAcceptedInvite(response),
        step: stepAcceptedInvite,
        wakeAfter,
        perform: (effect) => {
          if (effect.kind === 'send') accepted.answer(response);
          else if (call.state === 'answered') void call.hangUp();
        },
      });
    };

    const onAck = (): void => {
      waitForAck?.input({ kind: 'ack' });
      if (call.state !== 'answered') return;
      call.state = 'talking';
      if (script.hangUpAfterMs === undefined) return;
      wakeAfter(script.hangUpAfterMs, () => {
        if (call.state === 'talking') void call.hangUp();
      });
    };

    const answerIt = (): void => {
      if (call.state !== 'invited') return;
      call.state = 'answered';
      const body = new TextEncoder().encode(script.answer ?? sdpOf(transport.address));
      const headers = script.answerHeaders ?? [];
      const response = respond(invite, 200, { toTag, contact, contentType: 'application/sdp', body, headers });
      transaction.answer(response);
      repeatUntilAck(transaction, response);
    };

    const refuse = (status: number, state: PeerCallState): void => {
      if (call.state !== 'invited') return;
      call.state = state;
      transaction.answer(respond(invite, status, { toTag }));
    };

    inDialog.set(keyOfDialog(dialog), (incoming, incomingRequest) => {
      if (incomingRequest.method === 'ACK') onAck();
      else if (incomingRequest.method !== 'BYE' && incoming) serve(incoming, repeatUntilAck);
      if (incomingRequest.method !== 'BYE') return;
      waitForAck?.stop();
      incoming?.answer(respond(incomingRequest, call.state === 'ended' ? 481 : 200));
      call.state = 'ended';
    });
    cancels.set(`${invite.callId} ${invite.cseq.number}`, () => refuse(487, 'cancelled'));
    calls.push(call);

    const provisional = (status: number) => (): void => {
      if (call.state === 'invited') transaction.answer(respond(invite, status, { toTag, contact }));
    };
    if (script.tryingAfterMs !== undefined) wakeAfter(script.tryingAfterMs, provisional(100));
    if (script.ringAfterMs !== undefined) wakeAfter(script.ringAfterMs, provisional(180));
    if (script.answerAfterMs !== undefined) wakeAfter(script.answerAfterMs, answerIt);
    const { refuse: refusal } = script;
    if (refusal) wakeAfter(refusal.afterMs, () => refuse(refusal.status, 'refused'));
  };
  const cancels = new Map<string, () => void>();

  const onCancel = (transaction: ServerTransaction): void => {
    const cancel = transaction.request;
    transaction.answer(respond(cancel, servers.findCancelled(cancel) ? 200 : 481));
    if (!script.isDeafToCancel) cancels.get(`${cancel.callId} ${cancel.cseq.number}`)?.();
  };

  const onRequest = (request: SipRequest, from: Source): void => {
    received.push(request);
    if (servers.receive(request)) return;
    const handler = inDialog.get(keyOfRequest(request));
    const transaction = request.method === 'ACK' ? null : servers.open(request, from);
    if (!transaction) {
      handler?.(null, request);
      return;
    }
    const refusal = request.method === 'CANCEL' ? null : script.gate?.(request);
    if (refusal) {
      const response = respond(request, refusal.status, { toTag: newId(), headers: refusal.headers });
      transaction.answer({ ...response, contacts: refusal.contacts ?? [] });
    } else if (request.method === 'CANCEL') onCancel(transaction);
    else if (handler) handler(transaction, request);
    else if (request.method === 'INVITE') openCall(transaction, from);
    else transaction.answer(respond(request, request.method === 'OPTIONS' ? 200 : 481, { toTag: newId() }));
  };

  transport.onMessage((octets, from) => {
    const parsed = parseMessage(octets);
    if (!parsed.ok) throw new Error(parsed.problem);
    if (parsed.message.kind === 'response') clients.receive(parsed.message, from);
    else {
      const [via, ...vias] = parsed.message.vias;
      onRequest({ ...parsed.message, vias: [stampVia(via, from), ...vias] }, from);
    }
  });

  return {
    calls,
    received,
    get transactions() {
      return clients.size + servers.size;
    },
  };
};
