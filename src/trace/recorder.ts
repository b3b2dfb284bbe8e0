import type { Metrics } from '../domain/metrics.ts';
import type { Log, WakeAfter } from '../domain/ports.ts';
import type { NoteSipMessage, TraceBatch, TracedMessage, TraceEnd } from '../domain/sip-trace.ts';
import type { Store } from '../domain/store-port.ts';
import { peekCallId } from '../sip/peek-call-id.ts';
import { maskSecrets } from './mask-secrets.ts';

/** Keeps the SIP messages of calls in progress. It may lose some, but never holds up a call. */
export interface SipRecorder {
  /** From now on messages with this Call-ID are those of the attempt. */
  begin(sipCallId: string, attemptId: string): void;
  /** The attempt is over; what comes within 32 s is still its own (RFC 3261 17: 64 times T1). */
  end(sipCallId: string): void;
  readonly note: NoteSipMessage;
  /** Takes nothing more, and writes what is left. */
  close(): Promise<void>;
}

export interface SipRecorderOptions {
  readonly store: Pick<Store, 'transact'>;
  /** The end of ours towards a peer; never rejects. */
  readonly localEndOf: (transport: TracedMessage['transport'], peer: TraceEnd) => Promise<TraceEnd>;
  readonly nowMs: () => number;
  readonly wakeAfter: WakeAfter;
  readonly metrics: Pick<Metrics, 'noteSipMessagesDropped'>;
  readonly log: Log;
}

export const MAX_MESSAGES_OF_ATTEMPT = 64;
export const MAX_BYTES_OF_ATTEMPT = 64 * 1024;
export const MAX_WAITING_BYTES = 8 * 1024 * 1024;
const MAX_BATCH = 250;
const WRITE_EVERY_MS = 1000;
const LATE_MS = 32_000;

interface Trace {
  readonly attemptId: string;
  messages: number;
  bytes: number;
  endedAt: number;
}

type Waiting = Omit<TracedMessage, 'local'> & { readonly attemptId: string };

class Recorder implements SipRecorder {
  readonly #options: SipRecorderOptions;
  readonly #traces = new Map<string, Trace>();
  /** Call-IDs of attempts that are over, oldest first. */
  readonly #ended = new Set<string>();
  #waiting: Waiting[] = [];
  /** Of what waits, and of what is being written. */
  #waitingBytes = 0;
  #omitted = new Map<string, number>();
  #cancelTimer: (() => void) | null = null;
  #writing: Promise<void> | null = null;

  constructor(options: SipRecorderOptions) {
    this.#options = options;
  }

  begin(sipCallId: string, attemptId: string): void {
    this.#forgetEnded();
    this.#traces.set(sipCallId, { attemptId, messages: 0, bytes: 0, endedAt: Number.POSITIVE_INFINITY });
  }

  end(sipCallId: string): void {
    const trace = this.#traces.get(sipCallId);
    if (!trace) return;
    trace.endedAt = this.#options.nowMs();
    this.#ended.add(sipCallId);
  }

  readonly note: NoteSipMessage = (direction, octets, { transport, address, port }) => {
    const sipCallId = peekCallId(octets);
    const trace = sipCallId === null ? undefined : this.#traces.get(sipCallId);
    if (!trace || !this.#hasRoom(trace, octets.length)) return;
    trace.messages += 1;
    trace.bytes += octets.length;
    this.#waitingBytes += octets.length;
    this.#waiting.push({
      attemptId: trace.attemptId,
      direction,
      transport,
      remote: { address, port },
      seenAt: this.#options.nowMs(),
      octets: new Uint8Array(octets),
    });
    this.#writeLater();
  };

  async close(): Promise<void> {
    this.#traces.clear();
    this.#cancelTimer?.();
    await this.#writing;
    await this.#write();
  }

  #forgetEnded(): void {
    const before = this.#options.nowMs() - LATE_MS;
    for (const sipCallId of this.#ended) {
      if ((this.#traces.get(sipCallId)?.endedAt ?? 0) > before) return;
      this.#traces.delete(sipCallId);
      this.#ended.delete(sipCallId);
    }
  }

  #hasRoom(trace: Trace, bytes: number): boolean {
    const isFull = trace.messages >= MAX_MESSAGES_OF_ATTEMPT || trace.bytes + bytes > MAX_BYTES_OF_ATTEMPT;
    const isSlow = this.#waitingBytes + bytes > MAX_WAITING_BYTES;
    if (!isFull && !isSlow) return true;
    if (!isFull) this.#options.metrics.noteSipMessagesDropped(1);
    this.#omit(trace.attemptId, 1);
    return false;
  }

  #omit(attemptId: string, count: number): void {
    this.#omitted.set(attemptId, (this.#omitted.get(attemptId) ?? 0) + count);
    this.#writeLater();
  }

  #writeLater(): void {
    if (this.#cancelTimer || this.#writing) return;
    this.#cancelTimer = this.#options.wakeAfter(WRITE_EVERY_MS, () => {
      this.#cancelTimer = null;
      this.#writing = this.#write().then(() => {
        this.#writing = null;
        if (this.#waiting.length > 0) this.#writeLater();
      });
    });
  }

  /** What waits now; what comes meanwhile is for the next time. */
  async #write(): Promise<void> {
    const [waiting, omitted] = [this.#waiting, this.#omitted];
    this.#waiting = [];
    this.#omitted = new Map();
    for (let at = 0; at < waiting.length; at += MAX_BATCH) await this.#writeBatch(waiting.slice(at, at + MAX_BATCH));
    const counts = [...omitted].map(([attemptId, count]) => ({ attemptId, count }));
    if (counts.length > 0) await this.#keep({ messages: [], omitted: counts });
  }

  async #writeBatch(waiting: readonly Waiting[]): Promise<void> {
    const messages = await Promise.all(waiting.map((message) => this.#finish(message)));
    if (!(await this.#keep({ messages, omitted: [] }))) {
      this.#options.metrics.noteSipMessagesDropped(messages.length);
      for (const { attemptId } of messages) this.#omit(attemptId, 1);
    }
    for (const { octets } of messages) this.#waitingBytes -= octets.length;
  }

  async #finish(message: Waiting): Promise<TraceBatch['messages'][number]> {
    const local = await this.#options.localEndOf(message.transport, message.remote);
    return { ...message, local, octets: maskSecrets(message.octets) };
  }

  async #keep(batch: TraceBatch): Promise<boolean> {
    try {
      await this.#options.store.transact((tx) => tx.keepSipMessages(batch));
      return true;
    } catch (error) {
      this.#options.log.warn({ err: error, messages: batch.messages.length }, 'SIP messages could not be kept');
      return false;
    }
  }
}

export const createSipRecorder = (options: SipRecorderOptions): SipRecorder => new Recorder(options);
