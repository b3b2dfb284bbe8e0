import { RTP_HEADER_BYTES } from './packet.ts';
import { nearestIndex } from './srtp-index.ts';
import type { SrtpProtection } from './srtp-protection.ts';
import { SRTP_SUITES } from './srtp-suite.ts';
import { emptyPlan, writeWord } from './srtp-transform.ts';

/** Octets that sealing adds at most: a GCM tag, and for RTCP the index. */
export const MAX_SRTP_EXPANSION_BYTES = 20;
export const RTCP_CLEAR_BYTES = 8;
export const SRTCP_ENCRYPTED = 0x80000000;

/**
 * Seals the packets of one synchronisation source. Give the first packet a sequence number below 2^15: a peer that
 * misses packets before the number wraps could not tell the rollover counter else (RFC 3711 3.3.1).
 */
export class SrtpSender {
  readonly #protection: SrtpProtection;
  readonly #plan = emptyPlan();
  #highestIndex: number | null = null;
  #rtcpIndex = 0;

  constructor(protection: SrtpProtection) {
    this.#protection = protection;
  }

  /**
   * Seals an RTP packet of `length` octets without CSRC list and extension in place, and answers its new length.
   * `buffer` has `MAX_SRTP_EXPANSION_BYTES` to spare. A sequence number may never be sealed twice with other octets.
   */
  sealRtp(buffer: Uint8Array, length: number): number {
    const view = new DataView(buffer.buffer, buffer.byteOffset, length);
    const index = nearestIndex(this.#highestIndex, view.getUint16(2));
    this.#highestIndex = Math.max(this.#highestIndex ?? 0, index);
    const plan = this.#plan;
    plan.ssrc = view.getUint32(8);
    plan.index = index;
    plan.bodyStart = RTP_HEADER_BYTES;
    plan.bodyEnd = length;
    plan.tagStart = length;
    writeWord(plan.word, Math.floor(index / 0x10000));
    this.#protection.rtp.seal(buffer, plan);
    return length + SRTP_SUITES[this.#protection.suite].rtpTagBytes;
  }

  /** Seals a compound RTCP packet in place, likewise (RFC 3711 3.4). */
  sealRtcp(buffer: Uint8Array, length: number): number {
    const { cipher, rtcpTagBytes } = SRTP_SUITES[this.#protection.suite];
    const isTagLast = cipher === 'aes-128-ctr';
    const plan = this.#plan;
    plan.ssrc = new DataView(buffer.buffer, buffer.byteOffset, length).getUint32(4);
    plan.index = this.#rtcpIndex;
    plan.bodyStart = RTCP_CLEAR_BYTES;
    plan.bodyEnd = length;
    plan.tagStart = isTagLast ? length + 4 : length;
    writeWord(plan.word, SRTCP_ENCRYPTED + this.#rtcpIndex);
    this.#rtcpIndex += 1;
    this.#protection.rtcp.seal(buffer, plan);
    buffer.set(plan.word, isTagLast ? length : length + rtcpTagBytes);
    return length + 4 + rtcpTagBytes;
  }
}
