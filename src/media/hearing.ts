import { parseRtpPacket, type RtpPacket } from '../rtp/packet.ts';
import type { RtcpPacket } from '../rtp/rtcp-packet.ts';
import { isRtcp, parseRtcp } from '../rtp/rtcp-parse.ts';
import { createProtection } from '../rtp/srtp-protection.ts';
import { SrtpReceiver } from '../rtp/srtp-receiver.ts';
import { isSameKeying, type SrtpKeying } from '../rtp/srtp-suite.ts';
import { type HeardDigits, hearTelephoneEvent, NO_DIGITS } from '../rtp/telephone-event.ts';

/** Keys of one call that are told; nobody presses more in a message. */
export const MAX_DIGITS = 128;

/** One packet: RTP, or the parts of RTCP. */
export interface Heard {
  readonly rtp: RtpPacket | null;
  readonly rtcp: readonly RtcpPacket[];
}

/** What a peer sends during a call, as far as it is listened to. Whatever comes in, nothing throws. */
export class Hearing {
  #eventPayloadTypes: readonly number[] = [];
  #opening: SrtpKeying | null = null;
  /** Made when something comes in: most peers press no key, and a key schedule takes memory. */
  #receiver: SrtpReceiver | null = null;
  #digits: HeardDigits = NO_DIGITS;
  #told = 0;

  /** From now on the peer sends so. */
  listen(eventPayloadTypes: readonly number[], opening: SrtpKeying | null): void {
    this.#eventPayloadTypes = eventPayloadTypes;
    if (!isSameKeying(opening, this.#opening)) this.#receiver = null;
    this.#opening = opening;
  }

  /** A packet read, and decrypted if the peer encrypts; null if it is none or cannot be opened. */
  hear(octets: Uint8Array): Heard | null {
    const plain = this.#open(octets);
    if (!plain) return null;
    const rtcp = isRtcp(plain) ? parseRtcp(plain) : null;
    if (rtcp) return { rtcp, rtp: null };
    const rtp = isRtcp(plain) ? null : parseRtpPacket(plain);
    return rtp && { rtp, rtcp: [] };
  }

  /** The key whose press begins with this packet, null for any other. */
  digitOf(packet: RtpPacket): string | null {
    if (!this.#eventPayloadTypes.includes(packet.payloadType) || this.#told >= MAX_DIGITS) return null;
    const { heard, digit } = hearTelephoneEvent(this.#digits, packet);
    this.#digits = heard;
    if (digit) this.#told += 1;
    return digit?.digit ?? null;
  }

  #open(octets: Uint8Array): Uint8Array | null {
    if (this.#opening === null) return octets;
    const receiver = this.#receiverOf(this.#opening);
    return isRtcp(octets) ? receiver.openRtcp(octets) : receiver.openRtp(octets);
  }

  #receiverOf(opening: SrtpKeying): SrtpReceiver {
    this.#receiver ??= new SrtpReceiver(createProtection(opening), opening.mkiBytes);
    return this.#receiver;
  }
}
