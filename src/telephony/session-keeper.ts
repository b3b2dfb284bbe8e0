import { retryAfterOf } from '../sip/delta-seconds.ts';
import type { Header, SipRequest, SipResponse } from '../sip/message.ts';
import { hasToken } from '../sip/option-tags.ts';
import {
  NO_SESSION_TIMER,
  type RefreshEffect,
  type RefreshInput,
  type RefreshState,
  stepRefresh,
} from '../sip/session-refresh.ts';
import {
  type JudgedTimer,
  LEAST_SECONDS,
  minSe,
  minSeOf,
  type SessionTimer,
  sessionExpires,
  timerOfAnswer,
  timerOfRequest,
} from '../sip/session-timer.ts';
import type { DialogRequests } from './dialog-requests.ts';
import type { OfferExchange } from './offer-exchange.ts';
import { ALLOW, type Signalling, SUPPORTED } from './signalling.ts';

export interface SessionKeeperParts {
  readonly signalling: Signalling;
  readonly requests: DialogRequests;
  readonly offers: OfferExchange;
  /** Nobody refreshed the session in time, or the peer has lost it. */
  readonly onLost: (reason: string) => void;
}

type Timer = 'refresh' | 'expiry';

/** RFC 3261 14.1: whoever made the Call-ID waits 2.1 to 4 s after a 491, in steps of 10 ms. */
const glareDelayMs = ({ random }: Signalling): number => 2_100 + 10 * (Number(random.digits(4)) % 191);

/** Refreshes a session, or watches that the peer does (RFC 4028): performs what `sip/session-refresh.ts` decides. */
export class SessionKeeper {
  readonly #parts: SessionKeeperParts;
  readonly #timers = new Map<Timer, () => void>();
  #state: RefreshState = NO_SESSION_TIMER;
  #timer: SessionTimer | null = null;
  #leastSeconds = LEAST_SECONDS;
  #mayUpdate = false;

  constructor(parts: SessionKeeperParts) {
    this.#parts = parts;
  }

  /** Takes what a 2xx to our INVITE agreed on, and whether the peer takes UPDATE. */
  begin(response: SipResponse): void {
    this.#mayUpdate = hasToken(response, 'Allow', 'UPDATE');
    this.#agree(timerOfAnswer(response));
  }

  judge(request: SipRequest): JudgedTimer {
    return timerOfRequest(request, this.#timer);
  }

  /** We have answered a re-INVITE or UPDATE with 2xx. */
  answered(timer: SessionTimer | null): void {
    this.#agree(timer);
  }

  /** Nothing more is sent. */
  stop(): void {
    this.#input({ kind: 'ended' });
  }

  #agree(timer: SessionTimer | null): void {
    this.#timer = timer;
    this.#input({ kind: 'agreed', timer });
  }

  #input(input: RefreshInput): void {
    const step = stepRefresh(this.#state, input);
    this.#state = step.next;
    for (const effect of step.effects) this.#perform(effect);
  }

  #perform(effect: RefreshEffect): void {
    if (effect.kind === 'clear-timers') for (const timer of ['refresh', 'expiry'] as const) this.#clear(timer);
    else if (effect.kind === 'wait-refresh') this.#wake('refresh', effect.afterMs, { kind: 'refresh-due' });
    else if (effect.kind === 'wait-expiry') this.#wake('expiry', effect.afterMs, { kind: 'expired' });
    else if (effect.kind === 'refresh') this.#refresh();
    else this.#parts.onLost('The session was not refreshed in time (RFC 4028).');
  }

  #clear(timer: Timer): void {
    this.#timers.get(timer)?.();
    this.#timers.delete(timer);
  }

  #wake(timer: Timer, afterMs: number, input: RefreshInput): void {
    this.#clear(timer);
    this.#timers.set(
      timer,
      this.#parts.signalling.wakeAfter(afterMs, () => this.#input(input)),
    );
  }

  #refresh(): void {
    if (this.#mayUpdate) this.#update();
    else this.#reinvite();
  }

  #headers(): readonly Header[] {
    const seconds = Math.max(this.#timer?.seconds ?? 0, this.#leastSeconds);
    const least = this.#leastSeconds > LEAST_SECONDS ? [minSe(this.#leastSeconds)] : [];
    return [ALLOW, SUPPORTED, sessionExpires(seconds, 'uac'), ...least];
  }

  #update(): void {
    this.#parts.requests.send(
      'UPDATE',
      { headers: this.#headers() },
      {
        onFinal: (response) => this.#onFinal(response),
        onFailure: () => this.#input({ kind: 'lost' }),
      },
    );
  }

  #reinvite(): void {
    const { offers, requests, signalling } = this.#parts;
    const offer = offers.reinvite();
    if (offer === null) {
      this.#input({ kind: 'refused', againAfterMs: glareDelayMs(signalling) });
      return;
    }
    let acknowledge: (() => void) | null = null;
    const onFinal = (response: SipResponse, invite: SipRequest): void => {
      if (acknowledge) acknowledge();
      else if (response.status >= 300) {
        offers.reinvited(null);
        this.#onFinal(response);
      } else {
        acknowledge = requests.ackOf(invite);
        acknowledge();
        offers.reinvited(response.body);
        this.#onFinal(response);
      }
    };
    const onFailure = (): void => {
      offers.reinvited(null);
      this.#input({ kind: 'lost' });
    };
    const body = new TextEncoder().encode(offer);
    requests.send('INVITE', { headers: this.#headers(), contentType: 'application/sdp', body }, { onFinal, onFailure });
  }

  #onFinal(response: SipResponse): void {
    const { status } = response;
    if (status < 300) this.#agree(timerOfAnswer(response));
    else if (status === 408 || status === 481) this.#input({ kind: 'lost' });
    else this.#input({ kind: 'refused', againAfterMs: this.#againAfterMs(response) });
  }

  /** In how long a refused refresh is tried again; null for never: the session then lives until its time is over. */
  #againAfterMs(response: SipResponse): number | null {
    if (response.status === 491) return glareDelayMs(this.#parts.signalling);
    if (response.status === 422) return this.#lengthen(minSeOf(response)) ? 0 : null;
    if (response.status === 405 || response.status === 501) return this.#withoutUpdate() ? 0 : null;
    const seconds = retryAfterOf(response);
    return seconds === null ? null : seconds * 1_000;
  }

  #lengthen(leastSeconds: number): boolean {
    const isLonger = leastSeconds > this.#leastSeconds;
    this.#leastSeconds = Math.max(leastSeconds, this.#leastSeconds);
    return isLonger;
  }

  #withoutUpdate(): boolean {
    const had = this.#mayUpdate;
    this.#mayUpdate = false;
    return had;
  }
}
