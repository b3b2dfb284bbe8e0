import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { makeDirectories } from '../make-directories.ts';
import { type ClientTransactions, createClientTransactions } from '../sip/client-transactions.ts';
import { dialogKey, dialogOfInvite, keyOfRequest } from '../sip/dialog.ts';
import type { Source, TransportName } from '../sip/hop.ts';
import type { SipRequest } from '../sip/message.ts';
import { tagOf } from '../sip/name-addr.ts';
import { parseMessage } from '../sip/parse.ts';
import { respond } from '../sip/response.ts';
import {
  createServerTransactions,
  type ServerTransaction,
  type ServerTransactions,
} from '../sip/server-transactions.ts';
import { bracketHost } from '../sip/uri.ts';
import { type Address, stampVia } from '../sip/via.ts';
import { createFindLocalAddress, type FindLocalAddress } from '../telephony/local-address.ts';
import { openSipTransport } from '../telephony/open-sip-transport.ts';
import type { SipTransport, TlsMaterial } from '../telephony/sip-transport.ts';
import { ALLOW } from './answering-dialog.ts';
import { PHONE_CODECS, type PhoneCodec } from './codecs.ts';
import type { PhoneBehaviour, PhoneEvent } from './events.ts';
import { PhoneCall } from './phone-call.ts';
import { wakeAfterRealTime } from './wake-after.ts';

export type { PhoneBehaviour, PhoneEvent } from './events.ts';

export interface PhoneOptions {
  /** Of UDP and TCP; with a certificate, TLS is on the next port. Port 0 takes any free ones. */
  readonly listen: Address;
  /** What the phone says to be called by; UDP if left out. */
  readonly transport?: TransportName;
  readonly tls?: TlsMaterial;
  /** Folder for a WAV file of each call, made if it is missing; null to record nothing. */
  readonly recordDirectory: string | null;
  /** How long it rings first. */
  readonly answerAfterMs: number;
  readonly behaviour: PhoneBehaviour;
  /** Codecs it understands; PCMU and PCMA if left out. */
  readonly codecs?: readonly PhoneCodec[];
  readonly onEvent?: (event: PhoneEvent) => void;
}

/** A test phone: a UAS that answers calls, or does not, and writes down what it hears. */
export interface Phone {
  /** What to call it by. */
  readonly uri: string;
  readonly address: string;
  readonly port: number;
  /** Hangs up every call, waits a little for the callers' answers, then closes. Idempotent. */
  close(): Promise<void>;
}

const NO_TLS: TlsMaterial = { own: null, authorities: null };
/** A phone tells by its events what happens to it. */
const SILENT = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
};
/** More calls at once are answered 486. */
const MAX_CALLS = 1_000;
/** Transactions linger for half a minute after their end (timers J and L). Past this many, requests are dropped. */
const MAX_TRANSACTIONS = 20_000;
const HANG_UP_WITHIN_MS = 1_000;

class OpenPhone implements Phone {
  readonly #options: PhoneOptions;
  readonly #transport: SipTransport;
  readonly #servers: ServerTransactions;
  readonly #clients: ClientTransactions;
  readonly #findLocalAddress: FindLocalAddress;
  /** By `dialogKey` at our end. */
  readonly #calls = new Map<string, PhoneCall>();
  /** By the INVITE's transaction, while it is not answered or lingers. */
  readonly #ofInvite = new WeakMap<ServerTransaction, PhoneCall>();
  #closing: Promise<void> | null = null;

  constructor(options: PhoneOptions, transport: SipTransport) {
    this.#options = options;
    this.#transport = transport;
    const { send, portOf } = transport;
    const sending = { send, portOf, wakeAfter: wakeAfterRealTime, limit: MAX_TRANSACTIONS };
    this.#servers = createServerTransactions(sending);
    this.#clients = createClientTransactions(sending);
    this.#findLocalAddress = createFindLocalAddress(null, transport.address);
    transport.onMessage((octets, from) => this.#receive(octets, from));
    transport.onLost(this.#clients.lose);
  }

  get address(): string {
    return this.#transport.address;
  }

  get port(): number {
    return this.#transport.port;
  }

  get uri(): string {
    const host = LOOPBACKS[this.address] ?? bracketHost(this.address);
    const transport = this.#options.transport ?? 'udp';
    const param = transport === 'udp' ? '' : `;transport=${transport}`;
    return `sip:${host}:${this.#transport.portOf(transport)}${param}`;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { promise: isLate, resolve } = Promise.withResolvers<void>();
    const cancelTimer = wakeAfterRealTime(HANG_UP_WITHIN_MS, resolve);
    await Promise.race([Promise.all([...this.#calls.values()].map((call) => call.close())), isLate]);
    cancelTimer();
    // The socket hands a datagram to the kernel a moment after `send`: the last answer must not be caught by the close.
    await setImmediate();
    this.#servers.close();
    this.#clients.close();
    await this.#transport.close();
  }

  #receive(octets: Uint8Array, from: Source): void {
    const parsed = parseMessage(octets);
    // Nothing is owed to octets that are no SIP message.
    if (!parsed.ok) return;
    const { message } = parsed;
    if (message.kind === 'response') this.#clients.receive(message, from);
    else this.#take({ ...message, vias: [stampVia(message.vias[0], from), ...message.vias.slice(1)] }, from);
  }

  #take(request: SipRequest, from: Source): void {
    if (this.#servers.receive(request)) return;
    const call = this.#calls.get(keyOfRequest(request));
    if (request.method === 'ACK') {
      call?.dialog.acknowledge();
      return;
    }
    const user = { onAck: (ack: SipRequest) => this.#calls.get(keyOfRequest(ack))?.dialog.acknowledge() };
    const transaction = this.#servers.open(request, from, user);
    if (transaction === null) return;
    if (request.method === 'CANCEL') this.#cancel(transaction);
    else if (call !== undefined) call.dialog.receive(transaction);
    else if (tagOf(request.to) !== null) transaction.answer(respond(request, 481));
    else this.#serve(transaction, from);
  }

  #serve(transaction: ServerTransaction, from: Source): void {
    const { method } = transaction.request;
    if (method === 'INVITE') void this.#invite(transaction, from);
    else this.#refuse(transaction, method === 'OPTIONS' ? 200 : 405);
  }

  #refuse(transaction: ServerTransaction, status: number): void {
    const parts = { toTag: newTag(), headers: [ALLOW] };
    transaction.answer(respond(transaction.request, status, parts));
  }

  #cancel(transaction: ServerTransaction): void {
    const cancelled = this.#servers.findCancelled(transaction.request);
    this.#refuse(transaction, cancelled === null ? 481 : 200);
    if (cancelled !== null) this.#ofInvite.get(cancelled)?.cancel();
  }

  async #invite(transaction: ServerTransaction, peer: Source): Promise<void> {
    if (this.#calls.size >= MAX_CALLS || this.#closing !== null) {
      this.#refuse(transaction, 486);
      return;
    }
    // Null: the system knows no way back to the caller. The refusal is sent all the same, like any answer over UDP.
    const address = await this.#findLocalAddress(peer).catch(() => null);
    if (address === null) this.#refuse(transaction, 500);
    else this.#begin(transaction, peer, address);
  }

  #begin(transaction: ServerTransaction, peer: Source, address: string): void {
    const { request } = transaction;
    const localTag = newTag();
    const dialog = dialogOfInvite(request, localTag);
    if (dialog === null) {
      this.#refuse(transaction, 400);
      return;
    }
    const key = dialogKey(request.callId, localTag, tagOf(request.from));
    const options = {
      ...this.#options,
      codecs: this.#options.codecs ?? PHONE_CODECS,
      bindAddress: this.address,
      onEvent: this.#options.onEvent ?? (() => {}),
      onOver: () => void this.#calls.delete(key),
    };
    const { transport } = peer;
    const local = { transport, address, port: this.#transport.portOf(transport), tlsName: null };
    const around = { clients: this.#clients, wakeAfter: wakeAfterRealTime, local, peer };
    const call = new PhoneCall(options, around, transaction, dialog);
    this.#calls.set(key, call);
    this.#ofInvite.set(transaction, call);
    call.start();
  }
}

const LOOPBACKS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };

const newTag = (): string => randomBytes(6).toString('hex');

/**
 * Opens a test phone over UDP, TCP and, with a certificate, TLS. Rejects with a sentence for people if it cannot listen, or the folder for recordings
 * cannot be made.
 */
export const openPhone = async (options: PhoneOptions): Promise<Phone> => {
  if (options.recordDirectory !== null) await makeDirectories(options.recordDirectory, 0o777);
  const { listen, tls = NO_TLS } = options;
  return new OpenPhone(options, await openSipTransport({ listen, tls, wakeAfter: wakeAfterRealTime, log: SILENT }));
};
