import { randomInt } from 'node:crypto';
import { type LocalDescription, revise } from '../sdp/description.ts';
import { mirrored, type Reading, type RemoteMedia, readOffer, writeAnswer, writeOffer } from '../sdp/offer-answer.ts';
import type { Dialog } from '../sip/dialog.ts';
import { tagOf } from '../sip/name-addr.ts';
import type { ServerTransaction } from '../sip/server-transactions.ts';
import { serializeUri } from '../sip/uri.ts';
import { AnsweringDialog, type DialogSurroundings } from './answering-dialog.ts';
import type { PhoneCodec } from './codecs.ts';
import type { CallEnd, PhoneBehaviour, PhoneEvent } from './events.ts';
import { type Listener, openListener } from './listener.ts';
import type { Recorded } from './recording.ts';
import { recordingName, writeRecording } from './recording-file.ts';

/** Nobody lets a phone ring for longer than three minutes (RFC 3261 16.6, timer C). */
const RING_LIMIT_MS = 180_000;
/** A caller that sends no voice for that long is gone. */
const SILENCE_LIMIT_MS = 30_000;

export interface CallOptions {
  readonly behaviour: PhoneBehaviour;
  readonly answerAfterMs: number;
  readonly codecs: readonly PhoneCodec[];
  /** Where to listen for voice. */
  readonly bindAddress: string;
  readonly recordDirectory: string | null;
  readonly onEvent: (event: PhoneEvent) => void;
  /** Called when all is over, the recording written. */
  readonly onOver: () => void;
}

interface Conversation {
  readonly listener: Listener;
  readonly answeredAt: number;
  description: LocalDescription<PhoneCodec>;
}

/** One call that a test phone is given. */
export class PhoneCall {
  readonly #options: CallOptions;
  readonly #around: DialogSurroundings;
  readonly #transaction: ServerTransaction;
  readonly #dialog: AnsweringDialog;
  readonly #localTag: string;
  readonly #timers = new Set<() => void>();
  readonly #over = Promise.withResolvers<void>();
  #conversation: Conversation | null = null;
  #isHangingUp = false;
  #hasEnded = false;

  constructor(options: CallOptions, around: DialogSurroundings, transaction: ServerTransaction, dialog: Dialog) {
    this.#options = options;
    this.#around = around;
    this.#transaction = transaction;
    this.#localTag = tagOf(dialog.local) ?? '';
    this.#dialog = new AnsweringDialog(around, transaction, dialog, {
      onAcknowledged: () => this.#onAcknowledged(),
      onUnacknowledged: () => this.#hangUp('failed'),
      onBye: () => void this.#end('bye', 200),
      onOffer: (offer) => this.#onOffer(offer),
    });
  }

  get dialog(): AnsweringDialog {
    return this.#dialog;
  }

  /** Does with the INVITE what the phone is set to do. */
  start(): void {
    const { callId, from } = this.#transaction.request;
    this.#options.onEvent({ type: 'invite', sipCallId: callId, from: serializeUri(from.uri) });
    const { behaviour } = this.#options;
    if (behaviour === 'busy') this.#refuse(486);
    else if (behaviour === 'decline') this.#refuse(603);
    else this.#ring();
  }

  /** The caller gave up. Of no effect once the call is answered (RFC 3261 9.2). */
  cancel(): void {
    if (this.#conversation === null) this.#refuse(487, 'cancelled');
  }

  /** Ends the call as a phone would that is switched off; resolves when all is over. */
  close(): Promise<void> {
    if (this.#conversation === null) this.#refuse(480);
    else this.#hangUp('hung_up');
    return this.#over.promise;
  }

  #ring(): void {
    const { behaviour, answerAfterMs } = this.#options;
    const offer = this.#readOffer(this.#transaction.request.body);
    if (!offer.ok) {
      this.#refuse(488);
      return;
    }
    this.#dialog.ring();
    if (behaviour === 'ring') this.#after(RING_LIMIT_MS, () => this.#refuse(480));
    else this.#after(answerAfterMs, () => void this.#answer(offer.media));
  }

  async #answer(media: RemoteMedia<PhoneCodec>): Promise<void> {
    const listener = await this.#openListener();
    if (this.#hasEnded) await listener?.finish();
    else if (listener === null) this.#refuse(500);
    else this.#converse(listener, media);
  }

  async #openListener(): Promise<Listener | null> {
    try {
      return await openListener(this.#options.bindAddress, this.#options.recordDirectory !== null);
    } catch {
      // No port left: the caller is told by 500, and the event by its status.
      return null;
    }
  }

  #converse(listener: Listener, media: RemoteMedia<PhoneCodec>): void {
    const description = this.#describe(listener.port, media);
    this.#conversation = { listener, description, answeredAt: Date.now() };
    listener.hear(media);
    this.#dialog.accept(writeAnswer(this.#transaction.request.body, description));
  }

  #describe(port: number, { codec, payloadType, direction }: RemoteMedia<PhoneCodec>): LocalDescription<PhoneCodec> {
    const codecs = [{ codec, payloadType }];
    const sessionId = String(randomInt(2 ** 47));
    const { address } = this.#around.local;
    return { sessionId, version: 1, address, port, codecs, direction: mirrored(direction) };
  }

  #onOffer(offer: Uint8Array | null): string | null {
    const conversation = this.#conversation;
    if (conversation === null) return null;
    if (offer === null) return writeOffer(conversation.description);
    const reading = this.#readOffer(offer);
    if (!reading.ok) return null;
    const { codec, payloadType, direction } = reading.media;
    const change = { codecs: [{ codec, payloadType }], direction: mirrored(direction) };
    conversation.description = revise(conversation.description, change);
    conversation.listener.hear(reading.media);
    return writeAnswer(offer, conversation.description);
  }

  /** Loopback is fine: a test phone most often lives on the machine that calls it, and sends no voice anyway. */
  #readOffer(offer: Uint8Array): Reading<PhoneCodec> {
    return readOffer(offer, { codecs: this.#options.codecs, allowLoopback: true });
  }

  #onAcknowledged(): void {
    const codec = this.#conversation?.description.codecs[0]?.codec;
    if (codec !== undefined) this.#options.onEvent({ type: 'answered', sipCallId: this.#sipCallId, codec });
    this.#watchSilence(0);
    const { behaviour } = this.#options;
    if (typeof behaviour === 'object') this.#after(behaviour.hangUpAfterMs, () => this.#hangUp('hung_up'));
  }

  #watchSilence(packetsBefore: number): void {
    this.#after(SILENCE_LIMIT_MS, () => {
      const packets = this.#conversation?.listener.packets() ?? 0;
      if (packets === packetsBefore) this.#hangUp('failed');
      else this.#watchSilence(packets);
    });
  }

  #hangUp(how: CallEnd): void {
    if (this.#hasEnded || this.#isHangingUp) return;
    this.#isHangingUp = true;
    this.#clearTimers();
    this.#dialog.hangUp(() => void this.#end(how, 200));
  }

  #refuse(status: number, how: CallEnd = 'refused'): void {
    if (this.#hasEnded) return;
    this.#dialog.refuse(status);
    void this.#end(how, status);
  }

  async #end(how: CallEnd, sipStatus: number): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#clearTimers();
    const { reception = null, recorded = null } = (await this.#conversation?.listener.finish()) ?? {};
    this.#options.onEvent({ type: 'ended', sipCallId: this.#sipCallId, how, sipStatus, reception });
    if (recorded !== null) await this.#record(recorded);
    this.#options.onOver();
    this.#over.resolve();
  }

  async #record(recorded: Recorded): Promise<void> {
    const sipCallId = this.#sipCallId;
    try {
      const path = await this.#write(recorded.samples);
      const { samples, pauses } = recorded;
      this.#options.onEvent({ type: 'recorded', sipCallId, path, samples: samples.length, pauses });
    } catch (error) {
      this.#options.onEvent({ type: 'not_recorded', sipCallId, reason: String(error) });
    }
  }

  #write(samples: Int16Array): Promise<string> {
    const answeredAt = this.#conversation?.answeredAt ?? Date.now();
    const name = recordingName({ answeredAt, sipCallId: this.#sipCallId, localTag: this.#localTag });
    return writeRecording(this.#options.recordDirectory ?? '.', name, samples);
  }

  get #sipCallId(): string {
    return this.#transaction.request.callId;
  }

  #after(delayMs: number, wake: () => void): void {
    const clear = this.#around.wakeAfter(delayMs, () => {
      this.#timers.delete(clear);
      wake();
    });
    this.#timers.add(clear);
  }

  #clearTimers(): void {
    for (const clear of this.#timers) clear();
    this.#timers.clear();
  }
}
