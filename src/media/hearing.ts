import { parseRtpPacket } from '../rtp/packet.ts';
import type { ReportBlock } from '../rtp/rtcp-packet.ts';
import { isRtcp, parseRtcp } from '../rtp/rtcp-parse.ts';
import { createProtection } from '../rtp/srtp-protection.ts';
import { SrtpReceiver } from '../rtp/srtp-receiver.ts';
import { isSameKeying, type SrtpKeying } from '../rtp/srtp-suite.ts';
import { type HeardDigits, hearTelephoneEvent, NO_DIGITS } from '../rtp/telephone-event.ts';

/** Keys of one call that are told; nobody presses more in a message. */
export const MAX_DIGITS = 128;

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

  /**
   * The key whose press begins with this packet of RTP, null for any other. Without encryption only packets from the
   * peer's own address count.
   */
  digitOf(octets: Uint8Array, isFromPeer: boolean): string | null {
    const plain = isRtcp(octets) ? null : this.#open(octets, isFromPeer);
    const packet = plain && parseRtpPacket(plain);
    if (!packet || !this.#eventPayloadTypes.includes(packet.payloadType) || this.#told >= MAX_DIGITS) return null;
    const { heard, digit } = hearTelephoneEvent(this.#digits, packet);
    this.#digits = heard;
    if (digit) this.#told += 1;
    return digit?.digit ?? null;
  }

  /** The reports in a packet of RTCP, none in any other. */
  reportsOf(octets: Uint8Array, isFromPeer: boolean): readonly ReportBlock[] {
    const plain = isRtcp(octets) ? this.#open(octets, isFromPeer) : null;
    return ((plain && parseRtcp(plain)) ?? []).flatMap((packet) => (packet.kind === 'report' ? packet.blocks : []));
  }

  #open(octets: Uint8Array, isFromPeer: boolean): Uint8Array | null {
    if (this.#opening === null) return isFromPeer ? octets : null;
    const receiver = this.#receiverOf(this.#opening);
    return isRtcp(octets) ? receiver.openRtcp(octets) : receiver.openRtp(octets);
  }

  #receiverOf(opening: SrtpKeying): SrtpReceiver {
    this.#receiver ??= new SrtpReceiver(createProtection(opening), opening.mkiBytes);
    return this.#receiver;
  }
}
