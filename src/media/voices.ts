import { constants } from 'node:os';
import { CODEC_FRAMES } from '../domain/codec.ts';
import {
  advancePlayout,
  createPlayouts,
  isPlayedOut,
  playoutDueMs,
  resumePlayout,
  SLOT_MS,
  skipStall,
  slotBeginMs,
  startPlayout,
} from '../rtp/playout.ts';
import type { CallSockets } from './call-sockets.ts';
import { countPacket, countRefusal } from './counters.ts';
import { Incoming } from './incoming.ts';
import type { PlayTarget, ThreadOrder } from './messages.ts';
import { type Clip, clipOf, Payloads, SLOTS_PER_FRAME } from './payloads.ts';
import { Reports } from './reports.ts';
import { RtcpExchange } from './rtcp-exchange.ts';
import { Sealer } from './sealing.ts';
import { StreamNumbers } from './stream-numbers.ts';
import { newVoice, setFormat, type Voice, type VoicesOptions } from './voice.ts';
import { createWheel } from './wheel.ts';

const { EAGAIN, ECONNREFUSED, ENOBUFS } = constants.errno;
/** These pass: a packet is lost as on any network. */
const PASSING = new Set([EAGAIN, ENOBUFS, ECONNREFUSED]);

/** Keys and reports can wait for so long. */
const LOOK_EVERY_MS = 20;

/** All calls of a media thread: takes the orders of the main thread, sends what is due. */
export class Voices {
  readonly #options: VoicesOptions;
  readonly #sockets: CallSockets;
  readonly #clips = new Map<number, Clip>();
  readonly #rowOf = new Map<number, number>();
  readonly #voices: (Voice | null)[] = [];
  readonly #freeRows: number[] = [];
  readonly #playouts;
  readonly #wheel;
  readonly #numbers: StreamNumbers;
  readonly #payloads: Payloads;
  readonly #sealer: Sealer;
  readonly #rtcp: RtcpExchange;
  readonly #incoming: Incoming;
  /** When to look next what came in, and for how many calls. */
  #nextLookMs = 0;
  #listening = 0;

  constructor(options: VoicesOptions) {
    this.#options = options;
    this.#sockets = options.sockets;
    this.#playouts = createPlayouts(options.rows);
    this.#wheel = createWheel(options.rows);
    this.#numbers = new StreamNumbers(options.sockets, options.rows);
    this.#payloads = new Payloads(options.sockets);
    this.#sealer = new Sealer(options.sockets);
    this.#rtcp = new RtcpExchange(options.sockets, this.#numbers, this.#playouts);
    this.#incoming = new Incoming(options.sockets, this.#rtcp);
  }

  take(order: ThreadOrder): void {
    if (order.type === 'load') this.#clips.set(order.clip, clipOf(this.#sockets, order.audio));
    else if (order.type === 'unload') this.#clips.delete(order.clip);
    else if (order.type === 'prepare') this.#prepare(order);
    else this.#ofCall(order);
  }

  /** Sends every packet that is due. */
  run(nowMs: number): void {
    this.#wheel.expire(Math.floor(nowMs), this.#onDue);
    if (this.#listening === 0 || nowMs < this.#nextLookMs) return;
    this.#nextLookMs = nowMs + LOOK_EVERY_MS;
    this.#sockets.receive(this.#onPacket, this.#onRefusal);
    for (const [row, voice] of this.#voices.entries()) if (voice) this.#rtcp.tick(row, voice, nowMs);
  }

  /** When to run next; infinity if nothing is playing or listened to. */
  nextDueMs(): number {
    return Math.min(this.#wheel.nextTick(), this.#listening === 0 ? Number.POSITIVE_INFINITY : this.#nextLookMs);
  }

  #ofCall(order: Exclude<ThreadOrder, { type: 'load' | 'unload' | 'prepare' }>): void {
    const row = this.#rowOf.get(order.call);
    const voice = row === undefined ? null : this.#voices[row];
    if (row === undefined || !voice) return;
    if (order.type === 'play') this.#play(row, voice, order.to);
    else if (order.type === 'redirect') this.#redirect(row, voice, order.to);
    else if (order.type === 'hold') this.#hold(row, voice);
    else if (order.type === 'resume') this.#resume(row, voice);
    else this.#stop(row, voice);
  }

  #prepare({ call, port, clips: numbers, counters }: Extract<ThreadOrder, { type: 'prepare' }>): void {
    const { report } = this.#options;
    const row = this.#freeRows.pop() ?? this.#voices.length;
    if (row >= this.#options.rows) {
      const reason = `The media thread has its ${row} calls: set RINGCAST_MEDIA_THREADS higher.`;
      report({ type: 'refused', call, reason, isTaken: false });
      return;
    }
    const clips = numbers.flatMap((number) => this.#clips.get(number) ?? []);
    this.#rowOf.set(call, row);
    this.#voices[row] = newVoice(call, clips, new Int32Array(counters));
    this.#sockets.open(row, port, (result) => {
      if (typeof result === 'number') this.#opened(row, result);
      else {
        this.#forget(row);
        report({ type: 'refused', call, ...result });
      }
    });
  }

  #opened(row: number, port: number): void {
    const voice = this.#voices[row];
    if (!voice) return;
    voice.state = 'prepared';
    this.#options.report({ type: 'prepared', call: voice.call, port });
  }

  /** The first packet goes at once; the others are due in whole milliseconds, counted from the one before. */
  #play(row: number, voice: Voice, to: PlayTarget): void {
    if (voice.state !== 'prepared') return;
    voice.state = 'playing';
    voice.reports = new Reports(this.#options.nowMs());
    this.#listening += 1;
    this.#numbers.reset(row);
    startPlayout(this.#playouts, row, voice.lengths, Math.floor(this.#options.nowMs()));
    this.#redirect(row, voice, to);
    this.#onDue(row);
  }

  /** From the next packet on. A codec whose frames are whole goes on with the frame that was begun. */
  #redirect(row: number, voice: Voice, named: PlayTarget): void {
    const { place, marker } = this.#playouts;
    const to = this.#incoming.placeOf(voice, named);
    if (setFormat(voice, to, this.#numbers, row)) marker[row] = 1;
    const { divisible } = CODEC_FRAMES[to.codec];
    if (!divisible) place[row] = Math.floor((place[row] ?? 0) / SLOTS_PER_FRAME) * SLOTS_PER_FRAME;
    voice.hearing.listen(to.eventPayloadTypes, to.opening);
    this.#incoming.listen(row, voice);
    const problem = this.#sockets.setPeer(row, to);
    voice.canSend = problem === null;
    if (problem !== null) this.#tellFailure(voice, problem);
  }

  #hold(row: number, voice: Voice): void {
    if (voice.state !== 'playing') return;
    voice.state = 'held';
    this.#wheel.remove(row);
  }

  #resume(row: number, voice: Voice): void {
    if (voice.state !== 'held') return;
    voice.state = 'playing';
    resumePlayout(this.#playouts, row, this.#options.nowMs());
    this.#await(row);
  }

  #stop(row: number, voice: Voice): void {
    const { call, reports } = voice;
    this.#rtcp.sayGoodbye(row, voice, this.#options.nowMs());
    if (reports) this.#listening -= 1;
    this.#wheel.remove(row);
    this.#rowOf.delete(call);
    this.#voices[row] = null;
    this.#sockets.close(row, () => {
      this.#freeRows.push(row);
      this.#options.report({ type: 'stopped', call });
    });
  }

  #forget(row: number): void {
    const voice = this.#voices[row];
    if (voice) this.#rowOf.delete(voice.call);
    this.#voices[row] = null;
    this.#freeRows.push(row);
  }

  #await(row: number): void {
    this.#wheel.insert(row, Math.ceil(playoutDueMs(this.#playouts, row)));
  }

  readonly #onDue = (row: number): void => {
    const voice = this.#voices[row];
    if (!voice) return;
    if (isPlayedOut(this.#playouts, row, voice.lengths)) this.#finish(voice);
    else {
      this.#sendPacket(row, voice);
      if (voice.state === 'playing') this.#await(row);
    }
  };

  readonly #onPacket = (row: number, octets: Uint8Array, isFromPeer: boolean): void => {
    const voice = this.#voices[row];
    if (!voice) return;
    const digit = this.#incoming.hear(row, voice, octets, isFromPeer, this.#options.nowMs());
    if (!digit) return;
    const { clip, place } = this.#playouts;
    const placeMs = (place[row] ?? 0) * SLOT_MS;
    this.#options.report({ type: 'digit', call: voice.call, digit, clip: clip[row] ?? 0, placeMs });
  };

  readonly #onRefusal = (row: number): void => {
    const voice = this.#voices[row];
    if (voice?.state !== 'playing' || !this.#incoming.isHopeless(row, voice, this.#options.nowMs())) return;
    voice.state = 'played';
    this.#wheel.remove(row);
    this.#options.report({ type: 'peer_refuses', call: voice.call });
  };

  #finish(voice: Voice): void {
    voice.state = 'played';
    this.#options.report({ type: 'finished', call: voice.call });
  }

  #sendPacket(row: number, voice: Voice): void {
    const playouts = this.#playouts;
    const nowMs = this.#options.nowMs();
    const lateMs = nowMs - slotBeginMs(playouts, row);
    skipStall(playouts, row, nowMs);
    this.#numbers.write(row, playouts.slot[row] ?? 0, playouts.marker[row] === 1);
    const clip = playouts.clip[row] ?? 0;
    const errno = this.#send(row, voice, clip, playouts.place[row] ?? 0);
    const { slots } = this.#payloads;
    this.#options.onPacket(lateMs);
    if (errno === 0) countPacket(voice.counters, clip, slots, lateMs);
    else this.#refused(voice, errno);
    advancePlayout(playouts, row, voice.lengths, slots, nowMs);
  }

  #send(row: number, voice: Voice, clipNumber: number, place: number): number {
    const payloads = this.#payloads;
    const clip = voice.clips[clipNumber];
    if (clip === undefined) return constants.errno.EINVAL;
    payloads.cut(clip, voice.codec, place, voice.packetSlots);
    voice.reports?.count(payloads.length);
    if (!voice.canSend) return constants.errno.EDESTADDRREQ;
    if (voice.seal) this.#sealer.seal(row, voice.seal, payloads);
    const { frames, offset, length } = payloads;
    const errno = this.#sockets.send(row, frames, offset, length);
    if (errno !== ECONNREFUSED) return errno;
    this.#onRefusal(row);
    return this.#sockets.send(row, frames, offset, length);
  }

  #refused(voice: Voice, errno: number): void {
    countRefusal(voice.counters);
    if (!PASSING.has(errno)) this.#tellFailure(voice, `The kernel does not take them: error ${errno}.`);
  }

  /** Tells of the first failure only: the others are most likely the same, fifty times a second. */
  #tellFailure(voice: Voice, reason: string): void {
    if (!voice.hasFailed) this.#options.report({ type: 'send_failed', call: voice.call, reason });
    voice.hasFailed = true;
  }
}
