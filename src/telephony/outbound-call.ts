import { type AttemptResult, type CallOrder, type ClipPlace, NO_RTP, type RtpFigures } from '../domain/call.ts';
import type { CallProgress, PlacedCall } from '../domain/ports.ts';
import { playTimeMs } from '../domain/silences.ts';
import type { EndOfVoice, MediaThread } from '../media/link.ts';
import { estimateMos } from '../rtp/e-model.ts';
import type { StreamQuality } from '../rtp/stream-quality.ts';
import type { RemoteMedia } from '../sdp/offer-answer.ts';
import { ABANDON_MS } from '../sip/timers.ts';
import { type CallMedia, createCallMedia } from './call-media.ts';
import { type PreparedCall, prepareCall } from './call-preparation.ts';
import { withSigns } from './call-signs.ts';
import { type CallEffect, type CallInput, NEW_CALL, type PlainEffect, stepCall } from './call-state.ts';
import { CannotCall } from './call-target.ts';
import { farewellOf, readAnswer, refusalOf, statusOf } from './final-answer.ts';
import { InviteLeg, type InviteLegUser } from './invite-leg.ts';
import { PressedDigits, placeOf } from './pressed-digits.ts';
import { cleanReason } from './reason-text.ts';
import type { Signalling } from './signalling.ts';

/** A placed call, as the user agent holds it. */
export interface OutboundCall extends PlacedCall {
  /** Ends at once: CANCEL or BYE is sent, its answer not waited for. */
  interrupt(): void;
}

export interface CallSurroundings {
  readonly signalling: Signalling;
  readonly media: MediaThread;
  readonly order: CallOrder;
  readonly onProgress: (progress: CallProgress) => void;
}

/** How much longer than its clips a call may last: a peer that holds it for ever must not keep it. */
const MAX_HELD_MS = 600_000;
const HELD_TOO_LONG = 'The call was on hold for ten minutes in all.';

const NOBODY_LISTENS = 'The media port of the phone refused the voice (ICMP), and nothing was heard from it.';

/** A frame that the kernel refused is like one lost on the way; without more than these nobody heard the message. */
const LEAST_PART_HEARD = 0.95;

/** The bands of lateness end here. */
const MAX_LATENESS_MS = 100;

/** One call: performs what `call-state.ts` decides. */
class Call implements OutboundCall {
  readonly result: Promise<AttemptResult>;
  readonly #around: CallSurroundings;
  readonly #settled = Promise.withResolvers<AttemptResult>();
  readonly #preparation: Promise<void>;
  readonly #timers: (() => void)[] = [];
  #equipment: PreparedCall | null = null;
  /** Of the dialog that is the call. */
  #media: CallMedia | null = null;
  #leg: InviteLeg | null = null;
  /** What the peer answered, once there is something to play. */
  #remote: RemoteMedia | null = null;
  readonly #digits = new PressedDigits((digit) => this.#report({ kind: 'digit', digit }));
  #state = NEW_CALL;

  readonly #plain: Readonly<Record<PlainEffect, () => void>> = {
    invite: () => this.#invite(),
    'invite-again': () => this.#leg?.inviteAgain(),
    cancel: () => {
      this.#leg?.cancel(farewellOf(this.#state.outcome));
      this.#after(ABANDON_MS, { kind: 'abandon' });
    },
    ack: () => this.#leg?.acknowledge(),
    bye: () => this.#leg?.hangUp(farewellOf(this.#state.outcome), () => this.#input({ kind: 'bye-done' })),
    'stop-media': () => void this.#equipment?.media.stop(),
    settle: () => void this.#settle(),
    'report-ringing': () => this.#report({ kind: 'ringing', dialog: this.#leg?.trace() ?? null }),
  };

  constructor(around: CallSurroundings) {
    this.#around = around;
    this.result = this.#settled.promise;
    this.#preparation = this.#prepare();
  }

  cancel(): void {
    this.#input({ kind: 'cancel' });
  }

  interrupt(): void {
    this.#input({ kind: 'interrupt' });
  }

  framesSent(): readonly number[] {
    return this.#equipment?.media.framesSent() ?? this.#around.order.clips.map(() => 0);
  }

  async #prepare(): Promise<void> {
    this.#input(await this.#equip());
  }

  async #equip(): Promise<CallInput> {
    const { signalling, media, order } = this.#around;
    try {
      this.#equipment = await prepareCall(signalling, media, order);
      this.#equipment.media.onDigit((digit, at) => this.#digits.press('events', digit, placeOf(order.clips, at)));
      return { kind: 'prepared' };
    } catch (error) {
      signalling.log.warn({ err: error, attemptId: order.attemptId }, 'the call could not be prepared');
      const outcome = error instanceof CannotCall ? error.outcome : 'failed';
      return { kind: 'unprepared', outcome, reason: (error as Error).message };
    }
  }

  #input(input: CallInput): void {
    const { next, effects } = stepCall(this.#state, input);
    this.#state = next;
    for (const effect of effects) this.#perform(effect);
  }

  #perform(effect: CallEffect): void {
    if (effect.kind === 'play') this.#play(effect.media);
    else if (effect.kind === 'report-answered') {
      this.#report({ kind: 'answered', codec: effect.codec, dialog: this.#leg?.trace() ?? null });
    } else this.#plain[effect.kind]();
  }

  #after(delayMs: number, input: CallInput): void {
    this.#timers.push(this.#around.signalling.wakeAfter(delayMs, () => this.#input(input)));
  }

  #invite(): void {
    const equipment = this.#equipment;
    if (!equipment) return;
    const { signalling, order } = this.#around;
    this.#after(order.ringTimeoutMs, { kind: 'ring-deadline' });
    const createMedia = (localAddress: string): CallMedia =>
      createCallMedia(equipment, localAddress, signalling.random);
    this.#leg = new InviteLeg(
      signalling,
      { ...equipment, trunk: order.trunk, createMedia },
      withSigns(this.#legUser(), order.trunk, signalling.onCallSign),
    );
  }

  #legUser(): InviteLegUser {
    return {
      onProvisional: (status) => this.#input({ kind: 'provisional', status }),
      onAccepted: (response, callMedia) => {
        this.#media = callMedia;
        this.#input({ kind: 'accepted', ...statusOf(response), answer: readAnswer(callMedia, response) });
      },
      onAgain: (response) => this.#input({ kind: 'again', ...refusalOf(response, null) }),
      onRefused: (response, words) => this.#input({ kind: 'refused', ...refusalOf(response, words) }),
      onUnanswered: (reason) => this.#input({ kind: 'unanswered', reason }),
      onDigit: (digit) => this.#digits.press('info', digit, this.#place()),
      onBye: (words) => this.#input({ kind: 'peer-bye', words }),
      onSessionLost: (reason) => this.#input({ kind: 'session-lost', reason }),
      isWanted: () => this.#state.outcome === null,
    };
  }

  #play(remote: RemoteMedia): void {
    this.#remote = remote;
    const { clips, silences } = this.#around.order;
    this.#after(playTimeMs(clips, silences) + MAX_HELD_MS, { kind: 'session-lost', reason: HELD_TOO_LONG });
    this.#media?.play();
    void this.#equipment?.media.finished.then((end) => this.#input(this.#endOfVoice(end)));
  }

  #endOfVoice(end: EndOfVoice): CallInput {
    if (end === 'peer-refuses') return { kind: 'media-failed', reason: NOBODY_LISTENS };
    const wanted = this.#around.order.clips.reduce((sum, clip) => sum + clip.frameCount, 0);
    const sent = this.framesSent().reduce((sum, count) => sum + count, 0);
    return end === 'played' && sent >= wanted * LEAST_PART_HEARD
      ? { kind: 'played' }
      : { kind: 'media-failed', reason: `The voice broke off: ${sent} of ${wanted} frames could be sent.` };
  }

  #report(progress: CallProgress): void {
    try {
      this.#around.onProgress(progress);
    } catch (error) {
      this.#around.signalling.log.error({ err: error, progress }, 'the listener of a call failed');
    }
  }

  async #settle(): Promise<void> {
    for (const cancelTimer of this.#timers) cancelTimer();
    this.#leg?.release();
    // A call cancelled while it was prepared gets its media port only afterwards.
    await this.#preparation;
    await this.#equipment?.media.stop();
    this.#settled.resolve(this.#resultNow());
  }

  #place(): ClipPlace | null {
    return placeOf(this.#around.order.clips, this.#equipment?.media.place() ?? null);
  }

  #rtpNow(): RtpFigures {
    const media = this.#equipment?.media;
    if (!media) return NO_RTP;
    const packetsSent = media.packetsSent();
    const sent = { ...NO_RTP, packetsSent, packetsRefused: media.packetsRefused(), peerRefusals: media.peerRefusals() };
    if (packetsSent === 0) return sent;
    const [p50 = 0, p99 = 0] = [0.5, 0.99].map((share) => Math.min(MAX_LATENESS_MS, media.latenessMs(share)));
    return { ...sent, latenessMs: { p50, p99 }, ...this.#heardAs(media.quality(), packetsSent) };
  }

  /** How the peer heard it, by its own reports. */
  #heardAs(quality: StreamQuality | null, packetsSent: number): Partial<RtpFigures> {
    const remote = this.#remote;
    if (!quality || !remote) return {};
    const { codec, packetTimeMs } = remote;
    const mos = estimateMos({ ...quality, codec, packetTimeMs, lostShare: quality.packetsLost / packetsSent });
    return { ...quality, mosEstimate: Math.round(mos * 100) / 100 };
  }

  #resultNow(): AttemptResult {
    const { outcome, sipStatus, sipReason, wasAnswered, retryAfterSeconds } = this.#state;
    return {
      outcome: outcome ?? 'failed',
      sipStatus,
      sipReason: sipReason === null ? null : cleanReason(sipReason),
      codec: this.#remote?.codec ?? null,
      framesSent: [...this.framesSent()],
      rtp: this.#rtpNow(),
      digits: this.#digits.all,
      hungUpAt: outcome === 'hung_up' ? this.#place() : null,
      ...(wasAnswered ? { wasAnswered } : {}),
      ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
    };
  }
}

/** Places one call: at most one INVITE dialog. Its result always resolves, once, after the voice has stopped. */
export const placeOutboundCall = (around: CallSurroundings): OutboundCall => new Call(around);
