import type { RtpPacket } from '../rtp/packet.ts';
import type { PlayTarget, RtpAddress } from './messages.ts';

/** Packets may be missing between two that follow each other: not all that come in are read. */
const MAX_DROPOUT = 100;

interface Candidate {
  readonly source: RtpAddress;
  readonly ssrc: number;
  readonly sequence: number;
}

/** Settles once and for all where packets come from: from the place that was expected, or wherever two in order came first. */
class Finder {
  #candidate: Candidate | null = null;
  found: RtpAddress | null = null;
  isOpen = true;

  /** Whether this packet settles that they come from elsewhere. */
  see(packet: Candidate, isExpected: boolean): boolean {
    if (!this.isOpen) return false;
    const before = this.#candidate;
    this.#candidate = packet;
    const isFound = !isExpected && before !== null && follows(before, packet);
    if (isFound) this.found = packet.source;
    this.isOpen = !isExpected && !isFound;
    return isFound;
  }
}

/**
 * Finds where the voice of a peer behind a NAT comes from (comedia): from wherever two packets of one source, in order,
 * came first. That settles it, as does one packet from where the SDP says; nothing that comes later moves the voice, but a
 * new address in the SDP begins anew. The same of its reports, where they have a port of their own.
 */
export class Latch {
  readonly #named: RtpAddress;
  readonly #voice = new Finder();
  readonly #reports = new Finder();
  #reportsSeen = 0;

  constructor(named: RtpAddress) {
    this.#named = { address: named.address, port: named.port };
  }

  /** Whether it is still to be found out where voice comes from. */
  get isOpen(): boolean {
    return this.#voice.isOpen;
  }

  /** Whether this is the place that the SDP named. */
  isOf({ address, port }: RtpAddress): boolean {
    return address === this.#named.address && port === this.#named.port;
  }

  /** A packet that is the peer's as far as can be told; whether its source is where voice goes from now on. */
  see({ ssrc, sequence }: RtpPacket, source: RtpAddress, isFromNamedHost: boolean): boolean {
    return this.#voice.see({ source, ssrc, sequence }, isFromNamedHost && source.port === this.#named.port);
  }

  /** The same of a report, from where reports go now if `isExpected`. Reports have no numbers: they count as in order. */
  seeReport(ssrc: number, source: RtpAddress, isExpected: boolean): boolean {
    this.#reportsSeen += 1;
    return this.#reports.see({ source, ssrc, sequence: this.#reportsSeen }, isExpected);
  }

  /** Where voice really goes, and reports: to where they come from, or beside the voice (RFC 3550 11). */
  apply(to: PlayTarget): PlayTarget {
    const [voice, reports] = [this.#voice.found, this.#reports.found];
    const moved = voice ? { ...to, ...voice } : to;
    if (!to.rtcp) return moved;
    if (to.rtcp.isMux) return { ...moved, rtcp: { ...to.rtcp, ...voice } };
    return { ...moved, rtcp: { ...to.rtcp, ...(voice && { ...voice, port: voice.port + 1 }), ...reports } };
  }
}

const follows = (before: Candidate, now: Candidate): boolean => {
  const step = (now.sequence - before.sequence) & 0xffff;
  const isSameSource = now.source.address === before.source.address && now.source.port === before.source.port;
  return isSameSource && now.ssrc === before.ssrc && step > 0 && step < MAX_DROPOUT;
};
