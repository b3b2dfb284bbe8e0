import { cameFrom, type Hop, NotConnected, type SendOctets, type TransportName } from './hop.ts';
import { startInviteClient, stepInviteClient } from './invite-client-transaction.ts';
import type { ClientInput, Failure } from './machine.ts';
import type { SipMessage, SipRequest, SipResponse } from './message.ts';
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
  /** Gives the transaction of a request another user, so that the first one need not be remembered any longer. */
  handOver(request: SipRequest, user: ClientTransactionUser): void;
  /** Takes a response to its transaction; false if it matches none, or comes from elsewhere. */
  receive(response: SipResponse, from: Hop): boolean;
  /** A connection to this end was lost: what waits for an answer on it is sent once more, or fails (RFC 3261 17.1.4). */
  lose(end: Hop): void;
  readonly size: number;
  /** Drops every transaction and its timers; their users hear no more. */
  close(): void;
}

/** By what an answer is known to be one to the request. */
interface Names {
  readonly callId: string;
  readonly number: number;
  readonly fromTag: string | null;
  /** Null if it is the answerer's to choose. */
  readonly toTag: string | null;
}

interface Entry {
  readonly names: Names;
  readonly hop: Hop;
  user: ClientTransactionUser;
  /** Until the first answer: what may be sent again, and who takes over if no connection can be had. */
  unanswered: (Written & { readonly orElse: (() => void) | undefined }) | null;
  problem: Error | undefined;
}

type Machine = Pick<RunningMachine<{ readonly mayReconnect: boolean }, ClientInput>, 'state' | 'input' | 'stop'>;

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

const namesOf = ({ callId, cseq, from, to }: SipRequest): Names => ({
  callId,
  number: cseq.number,
  fromTag: tagOf(from),
  toTag: tagOf(to),
});

/** Whether a response repeats the names of the request it claims to answer. */
const answers = ({ callId, cseq, from, to }: SipResponse, names: Names): boolean =>
  callId === names.callId &&
  cseq.number === names.number &&
  tagOf(from) === names.fromTag &&
  (names.toTag === null || tagOf(to) === names.toTag);

/** A request that is no INVITE has one final answer: whoever waited for it need not be remembered. */
const afterFinal = ({ onTerminated }: ClientTransactionUser): ClientTransactionUser => ({
  onResponse: () => undefined,
  onFailure: () => undefined,
  ...(onTerminated ? { onTerminated } : {}),
});

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
  const entries = new Map<string, { readonly entry: Entry; readonly machine: Machine }>();

  const write = (request: SipRequest, { transport }: Hop): Written => {
    const sent = requestOver(request, transport, portOf?.(transport) ?? request.vias[0].port);
    return { request: sent, octets: serializeMessage(sent) };
  };

  const deliver = (entry: Entry, response: SipResponse, isInvite: boolean): void => {
    const { user } = entry;
    entry.unanswered = null;
    if (!isInvite && response.status >= 200) entry.user = afterFinal(user);
    user.onResponse(response);
  };

  const fail = ({ user, problem }: Entry, failure: Failure): void =>
    failure === 'timeout' ? user.onFailure(failure) : user.onFailure(failure, problem ?? LOST);

  const start = (key: string, entry: Entry, { request }: Written): Machine => {
    const { hop } = entry;
    const isInvite = request.method === 'INVITE';
    const onError = (error: Error): void => {
      const orElse = entry.unanswered?.orElse;
      entry.problem = error;
      if (
        orElse &&
        error instanceof NotConnected &&
        entries.get(key)?.entry === entry &&
        machine.state().mayReconnect
      ) {
        machine.stop();
        orElse();
        // Of a connection that broke `lose` is told.
      } else if (hop.transport === 'udp' || error instanceof NotConnected) machine.input({ kind: 'transport-error' });
    };
    const octetsOf = (message: SipMessage): Uint8Array =>
      entry.unanswered?.request === message ? entry.unanswered.octets : serializeMessage(message);
    const common = {
      wakeAfter,
      onTerminated: () => {
        entries.delete(key);
        entry.user.onTerminated?.();
      },
      perform: (effect: OutwardEffect): void => {
        if (effect.kind === 'report') fail(entry, effect.failure);
        else if (effect.kind === 'deliver') deliver(entry, effect.message as SipResponse, isInvite);
        else options.send(octetsOf(effect.message), hop, onError);
      },
    };
    const machine: Machine = isInvite
      ? runOver(hop.transport, { start: startInviteClient(request), step: stepInviteClient, ...common })
      : runOver(hop.transport, { start: startNonInviteClient(request), step: stepNonInviteClient, ...common });
    return machine;
  };

  /** `orElse` takes the transaction over if no connection can be had. */
  const run = (written: Written, hop: Hop, user: ClientTransactionUser, orElse?: () => void): void => {
    const { request } = written;
    const key = keyOf(request.vias[0], request.method);
    const entry: Entry = { names: namesOf(request), hop, user, unanswered: { ...written, orElse }, problem: undefined };
    entries.set(key, { entry, machine: start(key, entry, written) });
  };

  const begin = (request: SipRequest, to: Hop, user: ClientTransactionUser): void => {
    const invite = request.method === 'CANCEL' ? entries.get(keyOf(request.vias[0], 'INVITE')) : undefined;
    const hop = invite?.entry.hop ?? to;
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
    handOver: (request, user) => {
      const known = entries.get(keyOf(request.vias[0], request.method));
      if (known) known.entry.user = user;
    },
    receive: (response, from) => {
      const known = entries.get(keyOf(response.vias[0], response.cseq.method));
      if (!known || !cameFrom(from, known.entry.hop) || !answers(response, known.entry.names)) return false;
      known.machine.input({ kind: 'response', response });
      return true;
    },
    lose: (end) => {
      for (const { entry, machine } of [...entries.values()]) {
        if (cameFrom(end, entry.hop)) machine.input({ kind: 'connection-lost' });
      }
    },
    close: () => {
      for (const { machine } of entries.values()) machine.stop();
      entries.clear();
    },
  };
};
