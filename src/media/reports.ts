import { randomBytes } from 'node:crypto';
import { middleOfNtp, ntpOf } from '../rtp/ntp.ts';
import { averageRtcpBytes, rtcpIntervalMs } from '../rtp/rtcp-interval.ts';
import type { ReportBlock } from '../rtp/rtcp-packet.ts';
import { shortTermCname, writeRtcp } from '../rtp/rtcp-write.ts';
import { qualityOf, type StreamQuality } from '../rtp/stream-quality.ts';
import type { Sent } from './counters.ts';

/** UDP and IPv4 headers, which count (RFC 3550 6.2). */
const HEADERS_BYTES = 28;
/** A first guess: sender report, CNAME. */
const USUAL_BYTES = 60 + HEADERS_BYTES;
/** 5 % of a call of 64 kbit/s. */
const RTCP_BYTES_PER_SECOND = 400;

/** The stream that reports are about, at the moment of one. */
export interface ReportedStream {
  readonly ssrc: number;
  readonly timestamp: number;
  readonly clockRateHz: number;
  /** In the whole call. */
  readonly sent: Sent;
}

const wallMs = (nowMs: number): number => performance.timeOrigin + nowMs;

/** RTCP of one call: what we report of what we send, and what the peer reports of it (RFC 3550 6). */
export class Reports {
  readonly #cname = shortTermCname(randomBytes(12));
  #nextAtMs: number;
  #isFirst = true;
  #wasHeard = false;
  #averageBytes = USUAL_BYTES;
  /** What had been sent when the source began. */
  #before: Sent = { packets: 0, octets: 0 };

  constructor(nowMs: number) {
    this.#nextAtMs = nowMs + this.#intervalMs();
  }

  /** Another source begins. */
  restart(before: Sent): void {
    this.#before = before;
  }

  isDue(nowMs: number): boolean {
    return nowMs >= this.#nextAtMs;
  }

  /** Writes a report, or with `isGoodbye` the last one, and answers its length. */
  write(target: Uint8Array, stream: ReportedStream, nowMs: number, isGoodbye: boolean): number {
    const { ssrc, timestamp } = stream;
    const { packets, octets } = this.#sentOf(stream);
    const sender = packets > 0 ? { ntp: ntpOf(wallMs(nowMs)), timestamp, packets, octets } : null;
    const length = writeRtcp(target, { ssrc, sender, blocks: [], cname: this.#cname, isGoodbye });
    this.#averageBytes = averageRtcpBytes(this.#averageBytes, length + HEADERS_BYTES);
    this.#isFirst = false;
    this.#nextAtMs = nowMs + this.#intervalMs();
    return length;
  }

  /** What the block says of our stream; null if it is about another. */
  read(block: ReportBlock, stream: ReportedStream, nowMs: number): StreamQuality | null {
    this.#wasHeard = true;
    if (block.ssrc !== stream.ssrc) return null;
    const { packets } = this.#sentOf(stream);
    return qualityOf(block, { packets, clockRateHz: stream.clockRateHz }, middleOfNtp(ntpOf(wallMs(nowMs))));
  }

  #sentOf({ sent }: ReportedStream): Sent {
    return { packets: sent.packets - this.#before.packets, octets: (sent.octets - this.#before.octets) >>> 0 };
  }

  #intervalMs(): number {
    const conditions = {
      members: this.#wasHeard ? 2 : 1,
      senders: 1,
      isSender: true,
      isFirst: this.#isFirst,
      averageBytes: this.#averageBytes,
      rtcpBytesPerSecond: RTCP_BYTES_PER_SECOND,
    };
    return rtcpIntervalMs(conditions, randomBytes(4).readUInt32BE() / 2 ** 32);
  }
}
