import { defaultPortOf, type Hop, NotConnected, type SendOctets, type Source } from './hop.ts';
import type { ServerInput } from './machine.ts';
import type { SipRequest, SipResponse } from './message.ts';
import { tagOf } from './name-addr.ts';
import type { RunningMachine, WakeAfter } from './run-machine.ts';
import { runOver } from './run-over.ts';
import { serializeMessage } from './serialize.ts';
import {
  startInviteServer,
  startNonInviteServer,
  stepInviteServer,
  stepNonInviteServer,
} from './server-transaction.ts';
import { bareHost } from './uri.ts';
import { answerAddress, BRANCH_COOKIE, branchOf, serializeVia } from './via.ts';

/** A server transaction, to the transaction user. */
export interface ServerTransaction {
  readonly request: SipRequest;
  /** Sends a provisional or final answer; once a final one is sent, the state machine ignores what does not fit. */
  answer(response: SipResponse): void;
}

export interface ServerTransactionUser {
  /** An ACK of the 2xx that came with the INVITE's own branch (RFC 6026). */
  readonly onAck?: (ack: SipRequest) => void;
}

export interface ServerTransactions {
  /** Absorbs a request that belongs to a transaction: a retransmission, or the ACK of a refusal. */
  receive(request: SipRequest): boolean;
  /** Opens a transaction for a new request, whose topmost Via is stamped. Null if the table is full: drop it. */
  open(request: SipRequest, from: Source, user?: ServerTransactionUser): ServerTransaction | null;
  /** The INVITE transaction that a CANCEL names (RFC 3261 9.2). */
  findCancelled(cancel: SipRequest): ServerTransaction | null;
  readonly size: number;
  /** Drops every transaction and its timers. */
  close(): void;
}

/**
 * RFC 3261 17.2.3: branch and sent-by if the branch has the cookie, else the request's names and its whole Via. A branch
 * that is the cookie alone names nothing (RFC 4475 3.2.1).
 */
const keyOf = (request: SipRequest, method: string): string => {
  const via = request.vias[0];
  const branch = branchOf(via);
  if (branch?.startsWith(BRANCH_COOKIE) && branch !== BRANCH_COOKIE)
    return `${branch} ${via.host.toLowerCase()}:${via.port ?? ''} ${method}`;
  const { callId, cseq, from } = request;
  return `${callId} ${cseq.number} ${tagOf(from) ?? ''} ${serializeVia(via)} ${method}`;
};

/**
 * RFC 3261 18.2.2: over TCP and TLS, answers go back on the connection that the request came by; if it is gone, to the
 * port that the peer stated, at the address the request came from.
 */
const answerHops = ({ vias: [via] }: SipRequest, from: Source): readonly [Hop, ...Hop[]] => {
  if (from.transport === 'udp') return [{ ...from, ...answerAddress(via, from) }];
  const { transport, address } = from;
  const port = via.port ?? defaultPortOf(transport);
  return [from, { transport, address, port, tlsName: transport === 'tls' ? bareHost(via.host) : null }];
};

const methodOfTransaction = (request: SipRequest): string => (request.method === 'ACK' ? 'INVITE' : request.method);

interface Entry {
  readonly transaction: ServerTransaction;
  readonly machine: Pick<RunningMachine<unknown, ServerInput>, 'input' | 'stop'>;
}

/** Keeps at most `limit` server transactions and performs their effects. */
export const createServerTransactions = (options: {
  readonly send: SendOctets;
  readonly wakeAfter: WakeAfter;
  readonly limit: number;
}): ServerTransactions => {
  const entries = new Map<string, Entry>();

  /** Tries the ways one after another, for as long as no connection can be had. */
  const sendTo = ([to, ...others]: readonly Hop[], octets: Uint8Array, onError: () => void): void => {
    if (!to) onError();
    else {
      options.send(octets, to, (error) => sendTo(error instanceof NotConnected ? others : [], octets, onError));
    }
  };

  const runServer = (key: string, request: SipRequest, from: Source, user: ServerTransactionUser): Entry['machine'] => {
    const common = {
      wakeAfter: options.wakeAfter,
      onTerminated: () => entries.delete(key),
      perform: (effect: { kind: string; message?: unknown }): void => {
        if (effect.kind === 'send') sendAnswer(effect.message as SipResponse);
        else if (effect.kind === 'deliver') user.onAck?.(effect.message as SipRequest);
        // A failure needs no report: nobody waits for a refusal's ACK, and the sender of a 2xx watches for its own.
      },
    };
    const machine: Entry['machine'] =
      request.method === 'INVITE'
        ? runOver(from.transport, { start: startInviteServer(), step: stepInviteServer, ...common })
        : runOver(from.transport, { start: startNonInviteServer(), step: stepNonInviteServer, ...common });
    const hops = answerHops(request, from);
    const sendAnswer = (response: SipResponse): void =>
      sendTo(hops, serializeMessage(response), () => machine.input({ kind: 'transport-error' }));
    return machine;
  };

  return {
    get size() {
      return entries.size;
    },
    receive: (request) => {
      const entry = entries.get(keyOf(request, methodOfTransaction(request)));
      entry?.machine.input({ kind: 'request', request });
      return entry !== undefined;
    },
    open: (request, from, user = {}) => {
      if (entries.size >= options.limit) return null;
      const key = keyOf(request, methodOfTransaction(request));
      const machine = runServer(key, request, from, user);
      const transaction = {
        request,
        answer: (response: SipResponse): void => machine.input({ kind: 'answer', response }),
      };
      entries.set(key, { transaction, machine });
      return transaction;
    },
    findCancelled: (cancel) => entries.get(keyOf(cancel, 'INVITE'))?.transaction ?? null,
    close: () => {
      for (const { machine } of entries.values()) machine.stop();
      entries.clear();
    },
  };
};
