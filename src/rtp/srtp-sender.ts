import { RTP_HEADER_BYTES } from './packet.ts';
import { nearestIndex } from './srtp-index.ts';
import type { SrtpProtection } from './srtp-protection.ts';
import { isTagLast, SRTP_SUITES, type SrtpSuite } from './srtp-suite.ts';
import { emptyPlan, RTCP_CLEAR_BYTES, SRTCP_ENCRYPTED, SRTCP_INDEX_BYTES, writeWord } from './srtp-transform.ts';

/** Octets that sealing adds at most: a GCM tag, and for RTCP the index. */
export const MAX_SRTP_EXPANSION_BYTES = 20;

const octetAt = (octets: Uint8Array, at: number): number => octets[at] ?? 0;

/** Without a view, which would be garbage with every packet. */
const wordAt = (octets: Uint8Array, at: number): number =>
  ((octetAt(octets, at) << 24) |
    (octetAt(octets, at + 1) << 16) |
    (octetAt(octets, at + 2) << 8) |
    octetAt(octets, at + 3)) >>>
  0;

/**
 * Seals the packets of one synchronisation source. Give the first packet a sequence number below 2^15: a peer that
 * misses packets before the number wraps could not tell the rollover counter else (RFC 3711 3.3.1).
 */
export class SrtpSender {
  readonly #protection: SrtpProtection;
  readonly #suite: SrtpSuite;
  readonly #plan = emptyPlan();
  #highestIndex: number | null = null;
  #rtcpIndex = 0;

  constructor(protection: SrtpProtection) {
    this.#protection = protection;
    this.#suite = SRTP_SUITES[protection.suite];
  }

  /**
   * Seals an RTP packet of `length` octets without CSRC list and extension in place, and answers its new length.
   * `buffer` has `MAX_SRTP_EXPANSION_BYTES` to spare. A sequence number may never be sealed twice with other octets.
   */
  sealRtp(buffer: Uint8Array, length: number): number {
    const index = nearestIndex(this.#highestIndex, (octetAt(buffer, 2) << 8) | octetAt(buffer, 3));
    this.#highestIndex = Math.max(this.#highestIndex ?? 0, index);
    const plan = this.#plan;
    plan.ssrc = wordAt(buffer, 8);
    plan.index = index;
    plan.bodyStart = RTP_HEADER_BYTES;
    plan.bodyEnd = length;
    plan.tagStart = length;
    writeWord(plan.word, Math.floor(index / 0x10000));
    this.#protection.rtp.seal(buffer, plan);
    return length + this.#suite.rtpTagBytes;
  }

  /** Seals a compound RTCP packet in place, likewise (RFC 3711 3.4). */
  sealRtcp(buffer: Uint8Array, length: number): number {
    const { rtcpTagBytes } = this.#suite;
    const isLast = isTagLast(this.#suite);
    const plan = this.#plan;
    plan.ssrc = wordAt(buffer, 4);
    plan.index = this.#rtcpIndex;
    plan.bodyStart = RTCP_CLEAR_BYTES;
    plan.bodyEnd = length;
    plan.tagStart = isLast ? length + SRTCP_INDEX_BYTES : length;
    writeWord(plan.word, SRTCP_ENCRYPTED + this.#rtcpIndex);
    this.#rtcpIndex += 1;
    this.#protection.rtcp.seal(buffer, plan);
    buffer.set(plan.word, isLast ? length : length + rtcpTagBytes);
    return length + SRTCP_INDEX_BYTES + rtcpTagBytes;
  }
}
