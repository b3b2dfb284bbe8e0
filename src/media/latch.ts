import type { RtpPacket } from '../rtp/packet.ts';
import type { PlayTarget, RtpAddress } from './messages.ts';

/** Packets may be missing between two that follow each other: not all that come in are read. */
const MAX_DROPOUT = 100;

interface Candidate {
  readonly source: RtpAddress;
  readonly ssrc: number;
  readonly sequence: number;
}

/**
 * Finds where the voice of a peer behind a NAT comes from (comedia): from wherever two packets of one source, in order,
 * came first. That settles it, as does one packet from where the SDP says; nothing that comes later moves the voice, but a
 * new address in the SDP begins anew.
 */
export class Latch {
  readonly #named: RtpAddress;
  #candidate: Candidate | null = null;
  #found: RtpAddress | null = null;
  #isOpen = true;

  constructor(named: RtpAddress) {
    this.#named = { address: named.address, port: named.port };
  }

  /** Whether it is still to be found out where voice comes from. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Whether this is the place that the SDP named. */
  isOf({ address, port }: RtpAddress): boolean {
    return address === this.#named.address && port === this.#named.port;
  }

  /** A packet that is the peer's as far as can be told; whether its source is where voice goes from now on. */
  see({ ssrc, sequence }: RtpPacket, source: RtpAddress, isFromNamedHost: boolean): boolean {
    if (!this.#isOpen) return false;
    const before = this.#candidate;
    this.#candidate = { source, ssrc, sequence };
    if (isFromNamedHost && source.port === this.#named.port) this.#isOpen = false;
    else if (before && follows(before, this.#candidate)) {
      this.#isOpen = false;
      this.#found = source;
    }
    return this.#found !== null;
  }

  /** Where voice really goes, and reports beside it (RFC 3550 11). */
  apply(to: PlayTarget): PlayTarget {
    const found = this.#found;
    if (!found) return to;
    const { address, port } = found;
    return { ...to, address, port, rtcp: to.rtcp && { ...to.rtcp, address, port: to.rtcp.isMux ? port : port + 1 } };
  }
}

const follows = (before: Candidate, now: Candidate): boolean => {
  const step = (now.sequence - before.sequence) & 0xffff;
  const isSameSource = now.source.address === before.source.address && now.source.port === before.source.port;
  return isSameSource && now.ssrc === before.ssrc && step > 0 && step < MAX_DROPOUT;
};
