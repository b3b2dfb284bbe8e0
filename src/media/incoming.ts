import type { RtpPacket } from '../rtp/packet.ts';
import type { RtcpPacket } from '../rtp/rtcp-packet.ts';
import type { CallSockets } from './call-sockets.ts';
import { type Counters, countPeerRefusal } from './counters.ts';
import { Latch } from './latch.ts';
import type { PlayTarget } from './messages.ts';
import type { RtcpExchange } from './rtcp-exchange.ts';
import type { Voice } from './voice.ts';

/** What comes in for the calls of a thread: packets of their peers, ICMP refusals, and what somebody else makes up. */
export class Incoming {
  readonly #sockets: CallSockets;
  readonly #rtcp: RtcpExchange;
  readonly #counters: Counters;

  constructor(sockets: CallSockets, rtcp: RtcpExchange, counters: Counters) {
    this.#sockets = sockets;
    this.#rtcp = rtcp;
    this.#counters = counters;
  }

  /** Where voice goes that is to go to `named`. A peer that was found elsewhere stays there until it names another place. */
  placeOf(voice: Voice, named: PlayTarget): PlayTarget {
    if (!voice.latch?.isOf(named)) voice.latch = named.comedia ? new Latch(named) : null;
    return voice.latch?.apply(named) ?? named;
  }

  /** Lets in what this call listens to now: voice only while it matters whether there is any, and from where. */
  listen(row: number, { to, latch, isRefused }: Voice): void {
    if (!to) return;
    const voice = isRefused || latch?.isOpen ? [to.payloadType] : [];
    this.#sockets.listen(row, [...voice, ...to.eventPayloadTypes]);
  }

  /** The key whose press begins with this packet; null for any other. */
  hear(row: number, voice: Voice, octets: Uint8Array, isFromPeer: boolean, nowMs: number): string | null {
    const { to, latch, hearing } = voice;
    const isTrusted = isFromPeer || (to !== null && to.opening !== null);
    if (!to || !(isTrusted || latch?.isOpen)) return null;
    const heard = hearing.hear(octets);
    if (!heard) return null;
    const isFound = latch !== null && heard.rtp !== null && this.#find(row, voice, latch, heard.rtp, isFromPeer);
    if (!(isTrusted || isFound)) return null;
    voice.refusals.forget();
    this.#rtcp.hear(row, voice, heard.rtcp, nowMs);
    this.#findReports(voice, heard.rtcp, isFromPeer);
    return heard.rtp && hearing.digitOf(heard.rtp);
  }

  /** Whether the voice of a peer behind a NAT comes from here, and goes here from now on. */
  #find(row: number, voice: Voice, latch: Latch, packet: RtpPacket, isFromPeer: boolean): boolean {
    const { to } = voice;
    const isVoice = packet.payloadType === to?.payloadType || to?.eventPayloadTypes.includes(packet.payloadType);
    if (!to || !latch.isOpen || !isVoice) return false;
    const isFound = latch.see(packet, this.#sockets.source(), isFromPeer);
    if (isFound) {
      voice.to = latch.apply(to);
      this.#sockets.setPeer(row, voice.to);
    }
    if (!latch.isOpen) this.listen(row, voice);
    return isFound;
  }

  /** Reports to a peer behind a NAT go to where its own come from. */
  #findReports(voice: Voice, [first]: readonly RtcpPacket[], isFromPeer: boolean): void {
    const { to, latch } = voice;
    if (!latch || !to?.rtcp || to.rtcp.isMux || first?.kind !== 'report') return;
    const source = this.#sockets.source();
    if (latch.seeReport(first.ssrc, source, isFromPeer && source.port === to.rtcp.port)) voice.to = latch.apply(to);
  }

  /**
   * The peer's machine refused voice; whether nobody is there. From the first refusal on voice that comes in is looked at: it
   * tells that somebody is there all the same.
   */
  isHopeless(row: number, voice: Voice, nowMs: number): boolean {
    countPeerRefusal(this.#counters, row);
    this.#sockets.dropReturned(row);
    if (!voice.isRefused) {
      voice.isRefused = true;
      this.listen(row, voice);
    }
    return voice.refusals.note(nowMs);
  }
}
