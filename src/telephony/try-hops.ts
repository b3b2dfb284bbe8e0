import type { ClientTransactionUser } from '../sip/client-transactions.ts';
import { retryAfterOf } from '../sip/delta-seconds.ts';
import type { Hop } from '../sip/hop.ts';
import type { Failure } from '../sip/machine.ts';
import type { Header, SipRequest, SipResponse } from '../sip/message.ts';
import { cancelOf } from '../sip/request.ts';
import { branchOf, withBranch } from '../sip/via.ts';
import type { Signalling } from './signalling.ts';

/** How long a hop may leave a request without any answer while there is another to try: four sendings over UDP. */
export const HOP_PATIENCE_MS = 5_000;

/** A request as one hop got it. */
export interface Try {
  readonly request: SipRequest;
  readonly hop: Hop;
}

export interface TryHopsUser {
  onTry?(current: Try): void;
  /** Of the current try, or a 2xx to an INVITE of a try that had been given up. */
  onResponse(response: SipResponse, by: Try): void;
  /** Every hop failed, or the last one that there is time for. */
  onFailure(failure: Failure, error?: Error): void;
  /** Nothing more will come of any try. */
  onTerminated?(): void;
  /** Whether the next hop may be tried: false once the request has lost its point. */
  mayGoOn?(): boolean;
}

export interface TryHopsParts {
  readonly request: SipRequest;
  readonly hops: readonly Hop[];
  /** Makes the request for a further hop anew: a nonce count is good for one request, a Contact for one transport. */
  readonly requestFor?: (request: SipRequest, hop: Hop) => SipRequest;
}

interface RunningTry extends Try {
  stop: () => void;
  hasProvisional: boolean;
  isCancelled: boolean;
  isFinal: boolean;
}

const NOBODY = { onResponse: () => undefined, onFailure: () => undefined };

/**
 * One request over the hops of a target, one after the other (RFC 3263 4.3): the next is tried on a transport error, on
 * 503 and when no answer came in 5 s (the last one has timer B or F), never after a provisional answer. Call-ID, From-tag
 * and CSeq stay; the branch of the n-th further try is that of the first with `.n` behind it.
 *
 * An INVITE that was given up is not repeated, but still listened to: it is cancelled if it shows life, and if it is
 * answered all the same the user hears so. That answer takes the place of the current try, which is cancelled.
 */
export class TryHops {
  readonly #signalling: Signalling;
  readonly #parts: TryHopsParts;
  readonly #user: TryHopsUser;
  readonly #running = new Set<RunningTry>();
  #current: RunningTry | null = null;
  #next = 0;
  /** There is a 2xx: any further one is a fork's. */
  #isAnswered = false;
  #cancelPatience: () => void = () => undefined;

  constructor(signalling: Signalling, parts: TryHopsParts, user: TryHopsUser) {
    this.#signalling = signalling;
    this.#parts = parts;
    this.#user = user;
    this.#tryNext();
  }

  /** The hops from the current one on: where the same request goes with credentials. */
  remainingHops(): readonly Hop[] {
    return this.#parts.hops.slice(Math.max(this.#next - 1, 0));
  }

  /** Sends CANCEL after the current INVITE; to be called only after its provisional answer (RFC 3261 9.1). */
  cancel(reason: Header): void {
    if (this.#current) this.#cancelTry(this.#current, [reason]);
  }

  /** Gives up: the current try is forgotten at once, INVITEs given up before it are listened to for their time. */
  stop(): void {
    this.#cancelPatience();
    const current = this.#current;
    this.#current = null;
    if (!current) return;
    current.stop();
    this.#onTerminated(current);
  }

  /** What has its final answer is the matter of others from now on. */
  handOver(userOf: (by: Try) => ClientTransactionUser): void {
    for (const attempt of [...this.#running].filter(({ isFinal }) => isFinal)) {
      this.#signalling.clients.handOver(attempt.request, userOf(attempt));
      this.#onTerminated(attempt);
    }
  }

  #tryNext(): void {
    const hop = this.#parts.hops[this.#next];
    if (!hop) return;
    const attempt: RunningTry = {
      request: this.#requestFor(hop),
      hop,
      stop: () => undefined,
      hasProvisional: false,
      isCancelled: false,
      isFinal: false,
    };
    this.#next += 1;
    this.#current = attempt;
    this.#running.add(attempt);
    this.#signalling.meet(hop);
    this.#user.onTry?.(attempt);
    attempt.stop = this.#signalling.clients.start(attempt.request, hop, {
      onResponse: (response) => this.#onResponse(attempt, response),
      onFailure: (failure, error) => this.#onFailure(attempt, failure, error),
      onTerminated: () => this.#onTerminated(attempt),
    });
    if (this.#hasNext())
      this.#cancelPatience = this.#signalling.wakeAfter(HOP_PATIENCE_MS, () => this.#giveUp(attempt));
  }

  #requestFor(hop: Hop): SipRequest {
    const { request, requestFor } = this.#parts;
    if (this.#next === 0) return request;
    const [via] = request.vias;
    const again: SipRequest = { ...request, vias: [withBranch(via, `${branchOf(via) ?? ''}.${this.#next}`)] };
    return requestFor?.(again, hop) ?? again;
  }

  #hasNext(): boolean {
    return this.#next < this.#parts.hops.length;
  }

  #mayFailOver(attempt: RunningTry): boolean {
    return !attempt.hasProvisional && !this.#isAnswered && this.#hasNext() && (this.#user.mayGoOn?.() ?? true);
  }

  #failOver(attempt: RunningTry, retryAfterSeconds: number | null = null): void {
    const { hops, log } = this.#signalling;
    hops.failed(attempt.hop, retryAfterSeconds === null ? null : 1000 * retryAfterSeconds);
    log.info({ callId: attempt.request.callId, hop: attempt.hop }, 'a hop failed; trying the next');
    this.#cancelPatience();
    this.#tryNext();
  }

  #giveUp(attempt: RunningTry): void {
    if (attempt !== this.#current || !this.#mayFailOver(attempt)) return;
    this.#failOver(attempt);
    if (attempt.request.method === 'INVITE') this.#signalling.clients.hush(attempt.request);
    else {
      attempt.stop();
      this.#onTerminated(attempt);
    }
  }

  #onResponse(attempt: RunningTry, response: SipResponse): void {
    attempt.isFinal ||= response.status >= 200;
    if (attempt !== this.#current) this.#onLate(attempt, response);
    else if (response.status === 503 && this.#mayFailOver(attempt)) this.#failOver(attempt, retryAfterOf(response));
    else {
      this.#cancelPatience();
      attempt.hasProvisional = response.status < 200;
      this.#isAnswered ||= response.status >= 200 && response.status < 300;
      if (response.status !== 503) this.#signalling.hops.answered(attempt.hop);
      this.#user.onResponse(response, attempt);
    }
  }

  /** Answers to a try that was given up, or to one whose place an answer to such a try has taken. */
  #onLate(attempt: RunningTry, response: SipResponse): void {
    if (attempt.request.method !== 'INVITE') return;
    if (response.status < 200) {
      attempt.hasProvisional = true;
      this.#cancelTry(attempt);
    } else if (response.status < 300) {
      if (!this.#isAnswered) this.#supersede(attempt);
      this.#user.onResponse(response, attempt);
    }
  }

  #supersede(winner: RunningTry): void {
    this.#cancelPatience();
    this.#isAnswered = true;
    const loser = this.#current;
    this.#current = winner;
    if (loser?.hasProvisional) this.#cancelTry(loser);
    else if (loser) this.#signalling.clients.hush(loser.request);
  }

  #onFailure(attempt: RunningTry, failure: Failure, error?: Error): void {
    if (attempt !== this.#current) return;
    if (this.#mayFailOver(attempt)) this.#failOver(attempt);
    else {
      this.#cancelPatience();
      this.#signalling.hops.failed(attempt.hop);
      this.#user.onFailure(failure, error);
    }
  }

  #onTerminated(attempt: RunningTry): void {
    this.#running.delete(attempt);
    if (this.#running.size === 0) this.#user.onTerminated?.();
  }

  #cancelTry(attempt: RunningTry, headers: readonly Header[] = []): void {
    if (attempt.isCancelled) return;
    attempt.isCancelled = true;
    this.#signalling.clients.start(cancelOf(attempt.request, headers), attempt.hop, NOBODY);
  }
}
