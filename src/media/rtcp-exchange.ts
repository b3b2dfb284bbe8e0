import { type Playouts, SLOT_MS } from '../rtp/playout.ts';
import { MAX_SRTP_EXPANSION_BYTES } from '../rtp/srtp-sender.ts';
import type { CallSockets, Frames } from './call-sockets.ts';
import { type Counters, noteQuality, readSent } from './counters.ts';
import type { ReportedStream } from './reports.ts';
import type { StreamNumbers } from './stream-numbers.ts';
import type { Voice } from './voice.ts';

const MAX_REPORT_BYTES = 128;

/** Sends and reads the reports of all calls of a thread. */
export class RtcpExchange {
  readonly #sockets: CallSockets;
  readonly #numbers: StreamNumbers;
  readonly #playouts: Playouts;
  readonly #counters: Counters;
  readonly #packet: Frames;

  constructor(sockets: CallSockets, numbers: StreamNumbers, playouts: Playouts, counters: Counters) {
    this.#sockets = sockets;
    this.#counters = counters;
    this.#numbers = numbers;
    this.#playouts = playouts;
    this.#packet = sockets.frames(new SharedArrayBuffer(MAX_REPORT_BYTES + MAX_SRTP_EXPANSION_BYTES));
  }

  /** Reports if the time has come. */
  tick(row: number, voice: Voice, nowMs: number): void {
    if (voice.reports?.isDue(nowMs)) this.#send(row, voice, nowMs, false);
  }

  /** The last report, with BYE (RFC 3550 6.6). */
  sayGoodbye(row: number, voice: Voice, nowMs: number): void {
    this.#send(row, voice, nowMs, true);
  }

  hear(row: number, { reports, hearing }: Voice, octets: Uint8Array, isFromPeer: boolean, nowMs: number): void {
    if (!reports) return;
    for (const block of hearing.reportsOf(octets, isFromPeer)) {
      const quality = reports.read(block, this.#streamOf(row, nowMs), nowMs);
      if (quality) noteQuality(this.#counters, row, quality);
    }
  }

  #send(row: number, { reports, rtcp, seal }: Voice, nowMs: number, isGoodbye: boolean): void {
    if (!reports || !rtcp) return;
    const { octets } = this.#packet;
    const length = reports.write(octets, this.#streamOf(row, nowMs), nowMs, isGoodbye);
    this.#sockets.sendRtcp(row, this.#packet, seal ? seal.sender.sealRtcp(octets, length) : length, rtcp);
  }

  #streamOf(row: number, nowMs: number): ReportedStream {
    const slots = (nowMs - (this.#playouts.startAtMs[row] ?? 0)) / SLOT_MS;
    return {
      ssrc: this.#numbers.ssrc(row),
      timestamp: this.#numbers.timestampAt(row, slots),
      clockRateHz: this.#numbers.clockRateHz(row),
      sent: readSent(this.#counters, row),
    };
  }
}
