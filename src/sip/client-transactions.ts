import { startInviteClient, stepInviteClient } from './invite-client-transaction.ts';
import type { ClientInput, Failure } from './machine.ts';
import type { SipMessage, SipRequest, SipResponse } from './message.ts';
import { tagOf } from './name-addr.ts';
import { startNonInviteClient, stepNonInviteClient } from './non-invite-client-transaction.ts';
import { type OutwardEffect, type RunningMachine, runMachine, type WakeAfter } from './run-machine.ts';
import { serializeMessage } from './serialize.ts';
import type { SendOctets } from './server-transactions.ts';
import { type Address, branchOf, type Via } from './via.ts';

export interface ClientTransactionUser {
  readonly onResponse: (response: SipResponse) => void;
  /** No final answer in time, or the request could not be sent. */
  readonly onFailure: (failure: Failure) => void;
  /** Nothing more will come of this transaction. */
  readonly onTerminated?: () => void;
}

export interface ClientTransactions {
  /**
   * Sends a request, whose topmost Via has the branch of the new transaction. The user hears of anything only after
   * this has returned. The answer destroys the transaction: nothing is sent or heard any more (RFC 3261 9.1).
   */
  start(request: SipRequest, to: Address, user: ClientTransactionUser): () => void;
  /** Repeats the request no more; what is answered to it late is still heard, until timer B or F. */
  hush(request: SipRequest): void;
  /** Takes a response to its transaction; false if it matches none. */
  receive(response: SipResponse): boolean;
  readonly size: number;
  /** Drops every transaction and its timers; their users hear no more. */
  close(): void;
}

interface Entry {
  readonly request: SipRequest;
  readonly machine: Pick<RunningMachine<unknown, ClientInput>, 'input' | 'stop'>;
}

/** RFC 3261 17.1.3: branch and method name the transaction, since CANCEL has the branch of its INVITE. */
const keyOf = (via: Via, method: string): string => `${branchOf(via) ?? ''} ${method}`;

/** Whether a response repeats the names of the request it claims to answer. A To-tag is the answerer's to choose. */
const answers = (response: SipResponse, request: SipRequest): boolean =>
  response.callId === request.callId &&
  response.cseq.number === request.cseq.number &&
  tagOf(response.from) === tagOf(request.from) &&
  (tagOf(request.to) === null || tagOf(response.to) === tagOf(request.to));

/** Keeps at most `limit` client transactions and performs their effects. */
export const createClientTransactions = (options: {
  readonly send: SendOctets;
  readonly wakeAfter: WakeAfter;
  readonly limit: number;
}): ClientTransactions => {
  const entries = new Map<string, Entry>();

  const runClient = (key: string, request: SipRequest, to: Address, user: ClientTransactionUser): Entry['machine'] => {
    const onError = (): void => machine.input({ kind: 'transport-error' });
    const sendRequest = (message: SipMessage): void => options.send(serializeMessage(message), to, onError);
    const common = {
      wakeAfter: options.wakeAfter,
      onTerminated: () => {
        entries.delete(key);
        user.onTerminated?.();
      },
      perform: (effect: OutwardEffect): void => {
        if (effect.kind === 'send') sendRequest(effect.message);
        else if (effect.kind === 'report') user.onFailure(effect.failure);
        else user.onResponse(effect.message as SipResponse);
      },
    };
    const machine: Entry['machine'] =
      request.method === 'INVITE'
        ? runMachine({ start: startInviteClient(request), step: stepInviteClient, ...common })
        : runMachine({ start: startNonInviteClient(request), step: stepNonInviteClient, ...common });
    return machine;
  };

  return {
    get size() {
      return entries.size;
    },
    start: (request, to, user) => {
      if (entries.size >= options.limit) {
        options.wakeAfter(0, () => {
          user.onFailure('transport-error');
          user.onTerminated?.();
        });
        return () => undefined;
      }
      const key = keyOf(request.vias[0], request.method);
      const machine = runClient(key, request, to, user);
      entries.set(key, { request, machine });
      return () => {
        machine.stop();
        entries.delete(key);
      };
    },
    hush: (request) => entries.get(keyOf(request.vias[0], request.method))?.machine.input({ kind: 'hush' }),
    receive: (response) => {
      const entry = entries.get(keyOf(response.vias[0], response.cseq.method));
      if (!entry || !answers(response, entry.request)) return false;
      entry.machine.input({ kind: 'response', response });
      return true;
    },
    close: () => {
      for (const { machine } of entries.values()) machine.stop();
      entries.clear();
    },
  };
};
