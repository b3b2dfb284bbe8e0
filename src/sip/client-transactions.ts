import { cameFrom, type Hop, NotConnected, type SendOctets, type TransportName } from './hop.ts';
import { startInviteClient, stepInviteClient } from './invite-client-transaction.ts';
import type { ClientInput, Failure } from './machine.ts';
import type { SipRequest, SipResponse } from './message.ts';
import { tagOf } from './name-addr.ts';
import { startNonInviteClient, stepNonInviteClient } from './non-invite-client-transaction.ts';
import { requestOver } from './request.ts';
import type { OutwardEffect, RunningMachine, WakeAfter } from './run-machine.ts';
import { runOver } from './run-over.ts';
import { serializeMessage } from './serialize.ts';
import { branchOf, type Via } from './via.ts';

export interface ClientTransactionUser {
  readonly onResponse: (response: SipResponse) => void;
  /** No final answer in time, or the request could not be sent: `error` then says why, if that is known. */
  readonly onFailure: (failure: Failure, error?: Error) => void;
  /** Nothing more will come of this transaction. */
  readonly onTerminated?: () => void;
}

export interface ClientTransactions {
  /**
   * Sends a request, whose topmost Via has the branch of the new transaction; the transport of `to` is written into
   * it. A request too long for a datagram goes over TCP if the peer takes it (RFC 3261 18.1.1), and CANCEL the way of
   * its INVITE. What was sent on a connection that is lost before any answer goes once more, over a new one. The user hears of anything only after this has returned. The answer destroys the transaction: nothing
   * is sent or heard any more (RFC 3261 9.1).
   */
  start(request: SipRequest, to: Hop, user: ClientTransactionUser): () => void;
  /** Repeats the request no more; what is answered to it late is still heard, until timer B or F. */
  hush(request: SipRequest): void;
  /** Takes a response to its transaction; false if it matches none, or comes from elsewhere. */
  receive(response: SipResponse, from: Hop): boolean;
  /** A connection to this end was lost: what waits for an answer on it is sent once more, or fails (RFC 3261 17.1.4). */
  lose(end: Hop): void;
  readonly size: number;
  /** Drops every transaction and its timers; their users hear no more. */
  close(): void;
}

interface Entry {
  readonly request: SipRequest;
  readonly hop: Hop;
  readonly machine: Pick<RunningMachine<{ readonly mayReconnect: boolean }, ClientInput>, 'state' | 'input' | 'stop'>;
}

/** A request with the Via of the transport that it is sent over. */
interface Written {
  readonly request: SipRequest;
  readonly octets: Uint8Array;
}

/** RFC 3261 18.1.1: the longest request for a path whose MTU nobody knows. */
const MAX_DATAGRAM_BYTES = 1_300;

/** How long a peer that takes no TCP connection gets long requests over UDP at once. */
export const TCP_REST_MS = 600_000;

const LOST = new Error('The connection broke before an answer came.');

/** RFC 3261 17.1.3: branch and method name the transaction, since CANCEL has the branch of its INVITE. */
const keyOf = (via: Via, method: string): string => `${branchOf(via) ?? ''} ${method}`;

/** Whether a response repeats the names of the request it claims to answer. A To-tag is the answerer's to choose. */
const answers = (response: SipResponse, request: SipRequest): boolean =>
  response.callId === request.callId &&
  response.cseq.number === request.cseq.number &&
  tagOf(response.from) === tagOf(request.from) &&
  (tagOf(request.to) === null || tagOf(response.to) === tagOf(request.to));

export interface ClientTransactionOptions {
  readonly send: SendOctets;
  readonly wakeAfter: WakeAfter;
  readonly limit: number;
  /** Port of ours that Via names for each transport; if left out, the port that requests come with. */
  readonly portOf?: (transport: TransportName) => number;
  /** Remembers which peers take no TCP connection; if left out, each long request tries one. */
  readonly failedHops?: {
    hasFailed(hop: Hop): boolean;
    failed(hop: Hop, restMs: number): void;
  };
}

/** Keeps at most `limit` client transactions and performs their effects. */
export const createClientTransactions = (options: ClientTransactionOptions): ClientTransactions => {
  const { wakeAfter, portOf, failedHops } = options;
  const entries = new Map<string, Entry>();

  const write = (request: SipRequest, { transport }: Hop): Written => {
    const sent = requestOver(request, transport, portOf?.(transport) ?? request.vias[0].port);
    return { request: sent, octets: serializeMessage(sent) };
  };

  /** `orElse` takes the transaction over if no connection can be had. */
  const run = (written: Written, hop: Hop, user: ClientTransactionUser, orElse?: () => void): void => {
    const { request, octets } = written;
    const key = keyOf(request.vias[0], request.method);
    let problem: Error | undefined;
    const mayGoElsewhere = (error: Error): boolean =>
      error instanceof NotConnected && entries.get(key)?.machine === machine && machine.state().mayReconnect;
    const onError = (error: Error): void => {
      problem = error;
      if (orElse && mayGoElsewhere(error)) {
        machine.stop();
        orElse();
        // Of a connection that broke `lose` is told.
      } else if (hop.transport === 'udp' || error instanceof NotConnected) machine.input({ kind: 'transport-error' });
    };
    const fail = (failure: Failure): void =>
      failure === 'timeout' ? user.onFailure(failure) : user.onFailure(failure, problem ?? LOST);
    const common = {
      wakeAfter,
      onTerminated: () => {
        entries.delete(key);
        user.onTerminated?.();
      },
      perform: (effect: OutwardEffect): void => {
        if (effect.kind === 'report') fail(effect.failure);
        else if (effect.kind === 'deliver') user.onResponse(effect.message as SipResponse);
        else options.send(effect.message === request ? octets : serializeMessage(effect.message), hop, onError);
      },
    };
    const machine: Entry['machine'] =
      request.method === 'INVITE'
        ? runOver(hop.transport, { start: startInviteClient(request), step: stepInviteClient, ...common })
        : runOver(hop.transport, { start: startNonInviteClient(request), step: stepNonInviteClient, ...common });
    entries.set(key, { request, hop, machine });
  };

  const begin = (request: SipRequest, to: Hop, user: ClientTransactionUser): void => {
    const invite = request.method === 'CANCEL' ? entries.get(keyOf(request.vias[0], 'INVITE')) : undefined;
    const hop = invite?.hop ?? to;
    const plain = write(request, hop);
    const overTcp: Hop = { ...hop, transport: 'tcp' };
    const isShort = plain.octets.length <= MAX_DATAGRAM_BYTES;
    if (hop.transport !== 'udp' || isShort || failedHops?.hasFailed(overTcp)) run(plain, hop, user);
    else {
      run(write(request, overTcp), overTcp, user, () => {
        failedHops?.failed(overTcp, TCP_REST_MS);
        run(plain, hop, user);
      });
    }
  };

  return {
    get size() {
      return entries.size;
    },
    start: (request, to, user) => {
      if (entries.size >= options.limit) {
        wakeAfter(0, () => {
          user.onFailure('transport-error');
          user.onTerminated?.();
        });
        return () => undefined;
      }
      const key = keyOf(request.vias[0], request.method);
      begin(request, to, user);
      return () => {
        entries.get(key)?.machine.stop();
        entries.delete(key);
      };
    },
    hush: (request) => entries.get(keyOf(request.vias[0], request.method))?.machine.input({ kind: 'hush' }),
    receive: (response, from) => {
      const entry = entries.get(keyOf(response.vias[0], response.cseq.method));
      if (!entry || !cameFrom(from, entry.hop) || !answers(response, entry.request)) return false;
      entry.machine.input({ kind: 'response', response });
      return true;
    },
    lose: (end) => {
      for (const { hop, machine } of [...entries.values()]) {
        if (cameFrom(end, hop)) machine.input({ kind: 'connection-lost' });
      }
    },
    close: () => {
      for (const { machine } of entries.values()) machine.stop();
      entries.clear();
    },
  };
};
