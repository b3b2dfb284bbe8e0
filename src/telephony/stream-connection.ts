import type { Socket } from 'node:net';
import type { WakeAfter } from '../domain/ports.ts';
import { type Hop, NotConnected, type Source } from '../sip/hop.ts';
import { createStreamFramer, type Frame } from '../sip/stream-framer.ts';
import { connectionWords } from './connection-words.ts';
import type { OnMessage } from './sip-transport.ts';

export interface StreamConnectionUser {
  readonly onMessage: OnMessage;
  /** Nothing is sent or heard any more. `wasOpen`: what was sent on it may wait for an answer. */
  readonly onClosed: (connection: StreamConnection, wasOpen: boolean, error: Error | null) => void;
}

export interface StreamConnectionOptions {
  readonly socket: Socket;
  readonly number: number;
  readonly end: Hop;
  /** The event that tells that it is open; null if it is. */
  readonly opensOn: 'connect' | 'secureConnect' | null;
  readonly wakeAfter: WakeAfter;
}

interface Waiting {
  readonly octets: Uint8Array;
  readonly onError: ((error: Error) => void) | undefined;
}

export const CONNECT_WITHIN_MS = 5_000;
/** Time for what was written last to go out. */
const CLOSE_WITHIN_MS = 2_000;
/** How often a connection is looked at: pinged, and judged by what came since the last look. */
export const LOOK_EVERY_MS = 30_000;
/** Looks without a SIP message either way until it is closed: ten minutes. */
export const LOOKS_UNTIL_IDLE = 20;
/** A peer that reads slower than this is not waited for. */
export const MAX_QUEUED_BYTES = 4 * 1024 * 1024;

const PING = Buffer.from('\r\n\r\n');
const PONG = Buffer.from('\r\n');

/**
 * One TCP or TLS connection: connecting -> open -> closed. While it connects, messages wait. Every 30 s it is looked
 * at: one that was opened from here is pinged (RFC 5626 3.5.1), and one is closed that has not finished a message in
 * that time, that used to answer pings and has gone silent, or that has carried no message for ten minutes.
 */
export class StreamConnection {
  readonly source: Source;
  readonly #socket: Socket;
  readonly #user: StreamConnectionUser;
  readonly #wakeAfter: WakeAfter;
  readonly #framer = createStreamFramer();
  readonly #pings: boolean;
  #waiting: Waiting[] | null;
  #waitingBytes = 0;
  #isClosed = false;
  #cancelTimer: () => void;
  #idleLooks = 0;
  /** Since the last look. */
  #hasHeard = false;
  #hasHeardMessage = false;
  /** At the last look. */
  #wasInMessage = false;
  #wasPinged = false;
  #answersPings = false;

  constructor(options: StreamConnectionOptions, user: StreamConnectionUser) {
    const { socket, number, end, opensOn } = options;
    this.source = { ...end, connection: number };
    this.#socket = socket;
    this.#user = user;
    this.#wakeAfter = options.wakeAfter;
    this.#pings = opensOn !== null;
    this.#waiting = opensOn === null ? null : [];
    socket.setNoDelay(true);
    socket.on('data', (chunk: Uint8Array) => this.#onData(chunk));
    socket.on('error', (error) => this.#end(error));
    socket.on('end', () => this.#end(null));
    socket.on('close', () => this.#end(null));
    if (opensOn === null) this.#cancelTimer = this.#lookLater();
    else {
      socket.once(opensOn, () => this.#open());
      const late = new Error(`no connection within ${CONNECT_WITHIN_MS / 1000} s`);
      this.#cancelTimer = this.#wakeAfter(CONNECT_WITHIN_MS, () => this.#end(late));
    }
  }

  /** `onError` is called later if the octets cannot be sent: with `NotConnected` if none of them were. */
  send(octets: Uint8Array, onError?: (error: Error) => void): void {
    this.#idleLooks = 0;
    const queued = this.#waiting ? this.#waitingBytes : this.#socket.writableLength;
    if (this.#isClosed || queued + octets.length > MAX_QUEUED_BYTES) {
      const problem = this.#isClosed ? 'the connection is closed' : 'too much waits to be sent there';
      queueMicrotask(() => onError?.(notConnected(this.source, new Error(problem))));
    } else if (this.#waiting) {
      this.#waitingBytes += octets.length;
      this.#waiting.push({ octets, onError });
    } else this.#socket.write(octets, (error) => error && onError?.(error));
  }

  /** Lets what was written go out, and ends. */
  close(): void {
    if (this.#waiting === null && !this.#isClosed) {
      this.#socket.end();
      this.#socket.setTimeout(CLOSE_WITHIN_MS, () => this.#socket.destroy());
    }
    this.#end(null);
  }

  #open(): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#lookLater();
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const { octets, onError } of waiting) this.send(octets, onError);
  }

  #end(error: Error | null): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelTimer();
    if (this.#socket.writableEnded) this.#socket.destroySoon();
    else this.#socket.destroy();
    // First, so that whoever is told below and sends again meets another connection.
    this.#user.onClosed(this, this.#waiting === null, error);
    const failure = notConnected(this.source, error ?? new Error('the peer closed the connection'));
    for (const { onError } of this.#waiting ?? []) onError?.(failure);
  }

  #onData(chunk: Uint8Array): void {
    if (this.#isClosed) return;
    this.#hasHeard = true;
    for (const frame of this.#framer.push(chunk)) this.#take(frame);
  }

  #take(frame: Frame): void {
    if (this.#isClosed) return;
    if (frame.kind === 'ping') this.#pong();
    else if (frame.kind === 'broken') this.#end(new Error(frame.problem));
    else {
      this.#idleLooks = 0;
      this.#hasHeardMessage = true;
      this.#user.onMessage(frame.octets, this.source, frame.kind === 'unframed');
      if (frame.kind === 'unframed') this.close();
    }
  }

  /** Who reads no answers gets none. */
  #pong(): void {
    if (this.#socket.writableLength < MAX_QUEUED_BYTES) this.#socket.write(PONG);
  }

  #lookLater(): () => void {
    return this.#wakeAfter(LOOK_EVERY_MS, () => this.#look());
  }

  #look(): void {
    const problem = this.#problem();
    if (problem !== null) {
      this.#end(new Error(problem));
      return;
    }
    // Octets that make no message are the answer to a ping.
    this.#answersPings ||= this.#wasPinged && this.#hasHeard && !this.#hasHeardMessage && !this.#framer.isInMessage;
    this.#wasInMessage = this.#framer.isInMessage;
    this.#hasHeard = false;
    this.#hasHeardMessage = false;
    this.#idleLooks += 1;
    this.#wasPinged = this.#pings;
    if (this.#pings) this.#socket.write(PING);
    this.#cancelTimer = this.#lookLater();
  }

  #problem(): string | null {
    if (this.#idleLooks >= LOOKS_UNTIL_IDLE) return 'it was idle';
    if (this.#wasInMessage && this.#framer.isInMessage && !this.#hasHeardMessage) return 'a message was not finished';
    return this.#answersPings && !this.#hasHeard ? 'the peer has gone silent' : null;
  }
}

const notConnected = ({ transport, address, port }: Hop, cause: Error): NotConnected =>
  new NotConnected(`No ${transport.toUpperCase()} connection to ${address}:${port}: ${connectionWords(cause)}.`, {
    cause,
  });
