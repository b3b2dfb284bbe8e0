import type { CallTrunk } from '../domain/call.ts';
import type { TrunkRegistration } from '../domain/trunk.ts';
import { leadingSeconds, retryAfterOf } from '../sip/delta-seconds.ts';
import type { Hop } from '../sip/hop.ts';
import { findHeader, type SipRequest, type SipResponse } from '../sip/message.ts';
import {
  NEW_REGISTRATION,
  type RegistrationEffect,
  type RegistrationInput,
  type RegistrationState,
  stepRegistration,
} from '../sip/registration.ts';
import { failureWords } from './failure-words.ts';
import { cleanReason } from './reason-text.ts';
import { buildRegister, grantedSeconds, type RegistrationNames, registerFor } from './register-request.ts';
import type { Signalling } from './signalling.ts';
import { type AnswerChallenge, TrunkLogin } from './trunk-login.ts';
import { type Try, TryHops } from './try-hops.ts';
import { findWays } from './ways.ts';

/** One trunk's registration, kept alive until it is left. */
export interface KeptRegistration {
  now(): TrunkRegistration;
  /** Takes it back; resolves when the trunk has answered, or will not any more. */
  leave(): Promise<void>;
}

export interface RegistrationSurroundings {
  readonly signalling: Signalling;
  readonly trunk: CallTrunk;
  readonly wallMs: () => number;
}

const STATES: Readonly<Record<RegistrationState['name'], TrunkRegistration['state']>> = {
  unregistered: 'registering',
  registering: 'registering',
  registered: 'registered',
  refreshing: 'registered',
  waiting: 'failed',
  finishing: 'registering',
  leaving: 'registering',
  over: 'failed',
};

/** What one REGISTER is sent with, however often it is asked for a login. */
interface Means {
  readonly login: TrunkLogin;
  readonly answerChallenge: AnswerChallenge;
  /** The request as a hop is to get it, signed. */
  readonly requestFor: (request: SipRequest, hop: Hop) => SipRequest;
}

/** Performs what `sip/registration.ts` decides. */
class Registration implements KeptRegistration {
  readonly #around: RegistrationSurroundings;
  readonly #names: RegistrationNames;
  readonly #left = Promise.withResolvers<void>();
  #state = NEW_REGISTRATION;
  #cseq = 0;
  #expiresAt: number | null = null;
  #reason: string | null = null;
  /** The state that the log was told last. */
  #told: TrunkRegistration['state'] = 'registering';
  #cancelWake: () => void = () => undefined;

  constructor(around: RegistrationSurroundings) {
    this.#around = around;
    const { random } = around.signalling;
    this.#names = { callId: random.hex(16), fromTag: random.hex(8) };
    this.#input({ kind: 'start' });
  }

  now(): TrunkRegistration {
    const isHeld = this.#expiresAt !== null && this.#expiresAt > this.#around.wallMs();
    return { state: STATES[this.#state.name], expiresAt: isHeld ? this.#expiresAt : null, reason: this.#reason };
  }

  leave(): Promise<void> {
    this.#input({ kind: 'leave' });
    return this.#left.promise;
  }

  #input(input: RegistrationInput): void {
    const { next, effects } = stepRegistration(this.#state, input);
    this.#state = next;
    for (const effect of effects) this.#perform(effect);
    if (next.name === 'over') this.#left.resolve();
  }

  /** One line when it begins to hold or to fail, or fails for another reason: not one for each try. */
  #learn(state: TrunkRegistration['state'], reason: string | null): void {
    const isNews = state !== this.#told || reason !== this.#reason;
    this.#told = state;
    this.#reason = reason;
    const { signalling, trunk } = this.#around;
    const level = state === 'failed' ? 'warn' : 'info';
    if (isNews) signalling.log[level]({ trunkId: trunk.id, state, reason }, 'registration changed');
  }

  #perform(effect: RegistrationEffect): void {
    if (effect.kind === 'register') void this.#register(effect.expiresS);
    else this.#cancelWake();
    if (effect.kind !== 'wake-after') return;
    this.#cancelWake = this.#around.signalling.wakeAfter(effect.afterMs, () => this.#input({ kind: 'wake' }));
  }

  async #register(expiresS: number): Promise<void> {
    const { signalling, trunk } = this.#around;
    const { host, port, transport } = trunk;
    try {
      const { hops, localAddressOf } = await findWays(signalling, { host, port, transport });
      const [hop] = hops;
      const login = new TrunkLogin(signalling, trunk, hops);
      const requestFor = (request: SipRequest, to: Hop): SipRequest =>
        login.sign(registerFor(signalling, trunk, request, { hop: to, localAddress: localAddressOf(to) }), to);
      const parts = { ...this.#names, cseq: this.#cseq + 1, hop, localAddress: localAddressOf(hop), expiresS };
      const request = buildRegister(signalling, trunk, parts);
      this.#send({ login, answerChallenge: login.answerer(), requestFor }, requestFor(request, hop), hops);
    } catch (error) {
      this.#fail((error as Error).message, null);
    }
  }

  #send(means: Means, request: SipRequest, hops: readonly Hop[]): void {
    const { login, answerChallenge, requestFor } = means;
    this.#cseq = request.cseq.number;
    const onFinal = (response: SipResponse, by: Try): void => {
      const again = answerChallenge(by.request, response, by.hop);
      if (again) this.#send(means, again, tries.remainingHops());
      else this.#onAnswer(login, by.request, response);
    };
    const tries = new TryHops(
      this.#around.signalling,
      { request, hops, requestFor },
      {
        onResponse: (response, by) => {
          if (response.status >= 200) onFinal(response, by);
        },
        onFailure: (failure, error) => this.#fail(failureWords('REGISTER', failure, error), null),
      },
    );
  }

  #onAnswer(login: TrunkLogin, request: SipRequest, response: SipResponse): void {
    const words = login.judge(request, response);
    if (response.status < 300) this.#onGranted(login, grantedSeconds(request, response));
    else if (response.status === 423) this.#onTooBrief(response);
    else this.#fail(words ?? `${response.status} ${response.reason}`, retryAfterOf(response));
  }

  #onGranted(login: TrunkLogin, expiresS: number): void {
    login.letIn();
    this.#expiresAt = this.#around.wallMs() + 1000 * expiresS;
    this.#input({ kind: 'granted', expiresS, fraction: this.#fraction() });
    if (STATES[this.#state.name] === 'registered') this.#learn('registered', null);
  }

  #onTooBrief(response: SipResponse): void {
    const minExpiresS = leadingSeconds(findHeader(response, 'Min-Expires') ?? '') ?? 0;
    this.#reason = `The trunk wants registrations of ${minExpiresS} s at least.`;
    this.#input({ kind: 'too-brief', minExpiresS, fraction: this.#fraction() });
  }

  #fail(reason: string, retryAfterS: number | null): void {
    this.#learn('failed', cleanReason(reason));
    this.#input({ kind: 'failed', retryAfterS, fraction: this.#fraction() });
  }

  #fraction(): number {
    return Number.parseInt(this.#around.signalling.random.hex(4), 16) / 2 ** 32;
  }
}

/** Registers with a trunk (RFC 3261 10.2), refreshes, and tries again when it fails. Never throws. */
export const keepRegistered = (around: RegistrationSurroundings): KeptRegistration => new Registration(around);
