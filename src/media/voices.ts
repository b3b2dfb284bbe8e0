import { constants } from 'node:os';
import { CODEC_FRAMES } from '../domain/codec.ts';
import { createPlayouts, isPlayedOut, playoutDueMs, resumePlayout, SLOT_MS, startPlayout } from '../rtp/playout.ts';
import { type CallSockets, MAX_BATCH } from './call-sockets.ts';
import { type Counters, readSent } from './counters.ts';
import { Departures } from './departures.ts';
import { Incoming } from './incoming.ts';
import type { PlayTarget, ThreadOrder } from './messages.ts';
import { type Clip, clipOf, SLOTS_PER_FRAME } from './payloads.ts';
import { Reports } from './reports.ts';
import { RtcpExchange } from './rtcp-exchange.ts';
import { StreamNumbers } from './stream-numbers.ts';
import { newVoice, setFormat, type Voice, type VoicesOptions } from './voice.ts';
import { createWheel } from './wheel.ts';

const { EAGAIN, ECONNREFUSED, ENOBUFS } = constants.errno;
/** These pass: a packet is lost as on any network. */
const PASSING = new Set([EAGAIN, ENOBUFS, ECONNREFUSED]);

/** Keys and reports can wait for so long at the RTCP ports, */
const LOOK_EVERY_MS = 20;
/** so long at an RTP port, looked at with the next packet that leaves there, */
const LOOK_AT_CALL_MS = 50;
/** and no longer than a packet if reports come there, for a round trip is taken from the time they are read. */
const LOOK_AT_MUX_MS = 15;

/** All calls of a media thread: takes the orders of the main thread, sends what is due. */
export class Voices {
  readonly #options: VoicesOptions;
  readonly #sockets: CallSockets;
  readonly #clips = new Map<number, Clip>();
  readonly #voices: (Voice | null)[] = [];
  readonly #counters: Counters;
  readonly #playouts;
  readonly #wheel;
  readonly #numbers: StreamNumbers;
  readonly #departures: Departures;
  readonly #rtcp: RtcpExchange;
  readonly #incoming: Incoming;
  /** When to look next what came in at RTCP ports, and for how many calls. */
  #nextLookMs = 0;
  #listening = 0;

  /** Rows that are due in this turn. */
  readonly #due: number[] = [];
  /** When this turn began, or a batch of it. */
  #turnMs = 0;
  readonly #fetched = new Float64Array(1);

  constructor(options: VoicesOptions) {
    this.#options = options;
    this.#sockets = options.sockets;
    this.#counters = options.counters;
    this.#playouts = createPlayouts(options.rows);
    this.#wheel = createWheel(options.rows);
    this.#numbers = new StreamNumbers(options.sockets, options.rows);
    this.#departures = new Departures({
      ...options,
      playouts: this.#playouts,
      numbers: this.#numbers,
      onFailure: (row, errno) => this.#refused(row, errno),
      onPeerRefusal: (row) => this.#onPeerRefusal(row),
    });
    this.#rtcp = new RtcpExchange(options.sockets, this.#numbers, this.#playouts, options.counters);
    this.#incoming = new Incoming(options.sockets, this.#rtcp, options.counters);
  }

  take(order: ThreadOrder): void {
    if (order.type === 'load') this.#clips.set(order.clip, clipOf(this.#sockets, order.audio));
    else if (order.type === 'unload') this.#clips.delete(order.clip);
    else if (order.type === 'prepare') this.#prepare(order);
    else this.#ofCall(order);
  }

  /** Sends every packet that is due. */
  run(nowMs: number): void {
    this.#due.length = 0;
    this.#wheel.expire(Math.floor(nowMs), this.#gather);
    this.#fetch();
    for (let nth = 0; nth < this.#due.length; nth += 1) {
      if (nth % MAX_BATCH === 0) this.#turnMs = this.#options.nowMs();
      this.#onDue(this.#due[nth] ?? 0);
    }
    this.#departures.flush();
    if (this.#listening === 0 || nowMs < this.#nextLookMs) return;
    this.#nextLookMs = nowMs + LOOK_EVERY_MS;
    this.#sockets.receive(this.#onPacket);
  }

  /** When to run next; infinity if nothing is playing or listened to. */
  nextDueMs(): number {
    return Math.min(this.#wheel.nextTick(), this.#listening === 0 ? Number.POSITIVE_INFINITY : this.#nextLookMs);
  }

  #ofCall(order: Exclude<ThreadOrder, { type: 'load' | 'unload' | 'prepare' }>): void {
    const row = order.call;
    const voice = this.#voices[row];
    if (!voice) return;
    if (order.type === 'play') this.#play(row, voice, order.to);
    else if (order.type === 'redirect') this.#redirect(row, voice, order.to);
    else if (order.type === 'hold') this.#hold(row, voice);
    else if (order.type === 'resume') this.#resume(row, voice);
    else this.#stop(row, voice);
  }

  #prepare({ call: row, port, clips: numbers }: Extract<ThreadOrder, { type: 'prepare' }>): void {
    this.#voices[row] = newVoice(numbers.flatMap((number) => this.#clips.get(number) ?? []));
    this.#sockets.open(row, port, (result) => {
      if (typeof result === 'number') this.#opened(row, result);
      else {
        this.#voices[row] = null;
        this.#options.report({ type: 'refused', call: row, ...result });
      }
    });
  }

  #opened(row: number, port: number): void {
    const voice = this.#voices[row];
    if (!voice) return;
    voice.state = 'prepared';
    this.#options.report({ type: 'prepared', call: row, port });
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
    this.#turnMs = this.#options.nowMs();
    this.#onDue(row);
    this.#departures.flush();
  }

  /** From the next packet on. A codec whose frames are whole goes on with the frame that was begun. */
  #redirect(row: number, voice: Voice, named: PlayTarget): void {
    const { place, marker } = this.#playouts;
    const to = this.#incoming.placeOf(voice, named);
    if (setFormat(voice, to, this.#numbers, row, readSent(this.#counters, row))) marker[row] = 1;
    const { divisible } = CODEC_FRAMES[to.codec];
    if (!divisible) place[row] = Math.floor((place[row] ?? 0) / SLOTS_PER_FRAME) * SLOTS_PER_FRAME;
    voice.hearing.listen(to.eventPayloadTypes, to.opening);
    this.#incoming.listen(row, voice);
    const problem = this.#sockets.setPeer(row, to);
    voice.canSend = problem === null;
    if (problem !== null) this.#tellFailure(row, voice, problem);
  }

  #hold(row: number, voice: Voice): void {
    if (voice.state !== 'playing') return;
    voice.state = 'held';
    this.#wheel.remove(row);
    this.#await(row, voice);
  }

  #resume(row: number, voice: Voice): void {
    if (voice.state !== 'held') return;
    voice.state = 'playing';
    resumePlayout(this.#playouts, row, this.#options.nowMs());
    this.#wheel.remove(row);
    this.#await(row, voice);
  }

  #stop(row: number, voice: Voice): void {
    this.#rtcp.sayGoodbye(row, voice, this.#options.nowMs());
    if (voice.reports) this.#listening -= 1;
    this.#wheel.remove(row);
    this.#voices[row] = null;
    this.#sockets.close(row, () => this.#options.report({ type: 'stopped', call: row }));
  }

  /** A call is in the wheel from `play` to `stop`: for its next packet, or if it sends none to be looked at. */
  #await(row: number, voice: Voice): void {
    const dueMs = voice.state === 'playing' ? playoutDueMs(this.#playouts, row) : voice.nextLookMs;
    this.#wheel.insert(row, Math.ceil(dueMs));
  }

  readonly #gather = (row: number): void => {
    this.#due.push(row);
  };

  /** Looks at what will be needed of each call: the processor fetches that of many side by side, else of one after the other. */
  #fetch(): void {
    let sum = 0;
    for (const row of this.#due) {
      const voice = this.#voices[row];
      if (voice) sum += voice.lengths.length + voice.clips.length + voice.nextLookMs;
    }
    // Kept, or the compiler would leave it all out.
    this.#fetched[0] = sum;
  }

  #onDue(row: number): void {
    const voice = this.#voices[row];
    if (!voice) return;
    const nowMs = this.#turnMs;
    if (voice.state === 'playing') {
      if (isPlayedOut(this.#playouts, row, voice.lengths)) this.#finish(row, voice);
      else this.#departures.put(row, voice, nowMs);
    }
    if (nowMs >= voice.nextLookMs) this.#look(row, voice);
    this.#await(row, voice);
  }

  #look(row: number, voice: Voice): void {
    // Read again: a round trip is taken from it.
    const nowMs = this.#options.nowMs();
    voice.nextLookMs = nowMs + (voice.to?.rtcp?.isMux ? LOOK_AT_MUX_MS : LOOK_AT_CALL_MS);
    if (this.#sockets.receiveRtp(row, this.#onPacket)) this.#onPeerRefusal(row);
    this.#rtcp.tick(row, voice, nowMs);
  }

  readonly #onPacket = (row: number, octets: Uint8Array, isFromPeer: boolean): void => {
    const voice = this.#voices[row];
    if (!voice) return;
    const digit = this.#incoming.hear(row, voice, octets, isFromPeer, this.#options.nowMs());
    if (!digit) return;
    const { clip, place } = this.#playouts;
    const placeMs = (place[row] ?? 0) * SLOT_MS;
    this.#options.report({ type: 'digit', call: row, digit, clip: clip[row] ?? 0, placeMs });
  };

  #onPeerRefusal(row: number): void {
    const voice = this.#voices[row];
    if (!voice || !this.#incoming.isHopeless(row, voice, this.#options.nowMs()) || voice.state !== 'playing') return;
    voice.state = 'played';
    this.#options.report({ type: 'peer_refuses', call: row });
  }

  #finish(row: number, voice: Voice): void {
    voice.state = 'played';
    this.#options.report({ type: 'finished', call: row });
  }

  #refused(row: number, errno: number): void {
    const voice = this.#voices[row];
    if (voice && !PASSING.has(errno)) this.#tellFailure(row, voice, `The kernel does not take them: error ${errno}.`);
  }

  /** Tells of the first failure only: the others are most likely the same, fifty times a second. */
  #tellFailure(row: number, voice: Voice, reason: string): void {
    if (!voice.hasFailed) this.#options.report({ type: 'send_failed', call: row, reason });
    voice.hasFailed = true;
  }
}
