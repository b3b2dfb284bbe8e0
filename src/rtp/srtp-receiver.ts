import { RTP_HEADER_BYTES, rtpPayloadStart } from './packet.ts';
import { nearestIndex, ReplayWindow } from './srtp-index.ts';
import type { SrtpProtection } from './srtp-protection.ts';
import { isTagLast, SRTP_SUITES, type SrtpSuite } from './srtp-suite.ts';
import {
  emptyPlan,
  MAX_SRTP_BYTES,
  RTCP_CLEAR_BYTES,
  SRTCP_ENCRYPTED,
  SRTCP_INDEX_BYTES,
  type SrtpTransform,
  writeWord,
} from './srtp-transform.ts';

/** Sources of one peer that are followed; packets of others are dropped. */
const MAX_SOURCES = 8;

const viewOf = (octets: Uint8Array): DataView => new DataView(octets.buffer, octets.byteOffset, octets.byteLength);

/** One window for each source, made when its first packet was authenticated. */
class Windows {
  readonly #bySource = new Map<number, ReplayWindow>();

  highest(ssrc: number): number | null {
    return this.#bySource.get(ssrc)?.highest ?? null;
  }

  isFresh(ssrc: number, index: number): boolean {
    const window = this.#bySource.get(ssrc);
    return window ? window.isFresh(index) : this.#bySource.size < MAX_SOURCES && index >= 0;
  }

  note(ssrc: number, index: number): void {
    const window = this.#bySource.get(ssrc) ?? new ReplayWindow();
    window.note(index);
    this.#bySource.set(ssrc, window);
  }
}

/** Opens what a peer sealed. Whatever comes in, nothing throws: forged, repeated and cut packets give null. */
export class SrtpReceiver {
  readonly #protection: SrtpProtection;
  readonly #suite: SrtpSuite;
  readonly #mkiBytes: number;
  readonly #plan = emptyPlan();
  readonly #rtpWindows = new Windows();
  readonly #rtcpWindows = new Windows();

  /** `mkiBytes`: of the master key identifier that the peer announced, 0 for none. */
  constructor(protection: SrtpProtection, mkiBytes: number) {
    this.#protection = protection;
    this.#suite = SRTP_SUITES[protection.suite];
    this.#mkiBytes = mkiBytes;
  }

  /** The RTP packet, decrypted in place: a view of `packet` (RFC 3711 3.3). */
  openRtp(packet: Uint8Array): Uint8Array | null {
    const bodyEnd = packet.length - this.#suite.rtpTagBytes - this.#mkiBytes;
    if (bodyEnd < RTP_HEADER_BYTES || packet.length > MAX_SRTP_BYTES) return null;
    const bodyStart = rtpPayloadStart(packet.subarray(0, bodyEnd));
    if (bodyStart === null) return null;
    const plan = this.#plan;
    plan.ssrc = viewOf(packet).getUint32(8);
    plan.index = nearestIndex(this.#rtpWindows.highest(plan.ssrc), viewOf(packet).getUint16(2));
    plan.bodyStart = bodyStart;
    plan.bodyEnd = bodyEnd;
    plan.isEncrypted = true;
    plan.tagStart = isTagLast(this.#suite) ? bodyEnd + this.#mkiBytes : bodyEnd;
    writeWord(plan.word, Math.floor(plan.index / 0x10000));
    return this.#open(packet, this.#protection.rtp, this.#rtpWindows);
  }

  /** The compound RTCP packet, decrypted in place: a view of `packet` (RFC 3711 3.4, RFC 7714 9). */
  openRtcp(packet: Uint8Array): Uint8Array | null {
    const { rtcpTagBytes } = this.#suite;
    const bodyEnd = packet.length - SRTCP_INDEX_BYTES - rtcpTagBytes - this.#mkiBytes;
    if (bodyEnd < RTCP_CLEAR_BYTES || packet.length > MAX_SRTP_BYTES) return null;
    const isLast = isTagLast(this.#suite);
    const word = viewOf(packet).getUint32(isLast ? bodyEnd : bodyEnd + rtcpTagBytes);
    const plan = this.#plan;
    plan.ssrc = viewOf(packet).getUint32(4);
    plan.index = word % SRTCP_ENCRYPTED;
    plan.bodyStart = RTCP_CLEAR_BYTES;
    plan.bodyEnd = bodyEnd;
    plan.isEncrypted = word >= SRTCP_ENCRYPTED;
    plan.tagStart = isLast ? bodyEnd + SRTCP_INDEX_BYTES + this.#mkiBytes : bodyEnd;
    writeWord(plan.word, word);
    return this.#open(packet, this.#protection.rtcp, this.#rtcpWindows);
  }

  #open(packet: Uint8Array, transform: SrtpTransform, windows: Windows): Uint8Array | null {
    const { ssrc, index, bodyEnd } = this.#plan;
    if (!windows.isFresh(ssrc, index) || !transform.open(packet, this.#plan)) return null;
    windows.note(ssrc, index);
    return packet.subarray(0, bodyEnd);
  }
}
