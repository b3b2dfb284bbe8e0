import { rtpPayloadStart } from './packet.ts';
import { nearestIndex, ReplayWindow } from './srtp-index.ts';
import type { SrtpProtection } from './srtp-protection.ts';
import { RTCP_CLEAR_BYTES, SRTCP_ENCRYPTED } from './srtp-sender.ts';
import { SRTP_SUITES } from './srtp-suite.ts';
import { emptyPlan, MAX_SRTP_BYTES, writeWord } from './srtp-transform.ts';

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
  readonly #mkiBytes: number;
  readonly #plan = emptyPlan();
  readonly #rtpWindows = new Windows();
  readonly #rtcpWindows = new Windows();

  /** `mkiBytes`: of the master key identifier that the peer announced, 0 for none. */
  constructor(protection: SrtpProtection, mkiBytes: number) {
    this.#protection = protection;
    this.#mkiBytes = mkiBytes;
  }

  /** The RTP packet, decrypted in place: a view of `packet` (RFC 3711 3.3). */
  openRtp(packet: Uint8Array): Uint8Array | null {
    const { cipher, rtpTagBytes } = SRTP_SUITES[this.#protection.suite];
    const bodyEnd = packet.length - rtpTagBytes - this.#mkiBytes;
    const bodyStart =
      bodyEnd > 0 && packet.length <= MAX_SRTP_BYTES ? rtpPayloadStart(packet.subarray(0, bodyEnd)) : null;
    if (bodyStart === null) return null;
    const ssrc = viewOf(packet).getUint32(8);
    const index = nearestIndex(this.#rtpWindows.highest(ssrc), viewOf(packet).getUint16(2));
    if (!this.#rtpWindows.isFresh(ssrc, index)) return null;
    const plan = this.#plan;
    Object.assign(plan, { ssrc, index, bodyStart, bodyEnd, isEncrypted: true });
    // A GCM tag is part of the ciphertext, and the master key identifier follows; an HMAC comes last of all.
    plan.tagStart = cipher === 'aes-128-ctr' ? bodyEnd + this.#mkiBytes : bodyEnd;
    writeWord(plan.word, Math.floor(index / 0x10000));
    if (!this.#protection.rtp.open(packet, plan)) return null;
    this.#rtpWindows.note(ssrc, index);
    return packet.subarray(0, bodyEnd);
  }

  /** The compound RTCP packet, decrypted in place: a view of `packet` (RFC 3711 3.4, RFC 7714 9). */
  openRtcp(packet: Uint8Array): Uint8Array | null {
    const { cipher, rtcpTagBytes } = SRTP_SUITES[this.#protection.suite];
    const bodyEnd = packet.length - 4 - rtcpTagBytes - this.#mkiBytes;
    if (bodyEnd < RTCP_CLEAR_BYTES || packet.length > MAX_SRTP_BYTES) return null;
    const isTagLast = cipher === 'aes-128-ctr';
    const word = viewOf(packet).getUint32(isTagLast ? bodyEnd : bodyEnd + rtcpTagBytes);
    const ssrc = viewOf(packet).getUint32(4);
    const index = word % SRTCP_ENCRYPTED;
    if (!this.#rtcpWindows.isFresh(ssrc, index)) return null;
    const plan = this.#plan;
    Object.assign(plan, { ssrc, index, bodyStart: RTCP_CLEAR_BYTES, bodyEnd, isEncrypted: word >= SRTCP_ENCRYPTED });
    plan.tagStart = isTagLast ? bodyEnd + 4 + this.#mkiBytes : bodyEnd;
    writeWord(plan.word, word);
    if (!this.#protection.rtcp.open(packet, plan)) return null;
    this.#rtcpWindows.note(ssrc, index);
    return packet.subarray(0, bodyEnd);
  }
}
