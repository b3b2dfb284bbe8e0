import { RTP_HEADER_BYTES } from '../rtp/packet.ts';
import { createProtection, type SrtpProtection } from '../rtp/srtp-protection.ts';
import { MAX_SRTP_EXPANSION_BYTES, SrtpSender } from '../rtp/srtp-sender.ts';
import { isSameKeying, type SrtpKeying } from '../rtp/srtp-suite.ts';
import type { CallSockets, Frames } from './call-sockets.ts';
import type { Payloads } from './payloads.ts';
import { createScratch } from './scratch.ts';

const MAX_PAYLOAD_BYTES = 480;

/** What the packets of one call are encrypted with. */
export interface Seal {
  readonly keying: SrtpKeying;
  readonly protection: SrtpProtection;
  /** Of the source that is being sent. */
  sender: SrtpSender;
}

/** The seal for a key: the one there is if that has it, so that no packet number is used twice under one key. */
export const sealFor = (keying: SrtpKeying | null, before: Seal | null): Seal | null => {
  if (keying === null) return null;
  if (before && isSameKeying(before.keying, keying)) return before;
  const protection = createProtection(keying);
  return { keying, protection, sender: new SrtpSender(protection) };
};

/** Encrypts packets one after the other, in memory of its own: frames are shared by all calls. */
export class Sealer {
  readonly #sockets: CallSockets;
  /** For a whole packet; what is sent of it is what follows the header, which stays in the clear. */
  readonly #nextPacket: () => Frames;

  constructor(sockets: CallSockets) {
    this.#sockets = sockets;
    const bytes = RTP_HEADER_BYTES + MAX_PAYLOAD_BYTES + MAX_SRTP_EXPANSION_BYTES;
    this.#nextPacket = createScratch(sockets, bytes);
  }

  /** Puts the encrypted payload in the place of the plain one. */
  seal(row: number, { sender }: Seal, payload: Payloads): void {
    const packet = this.#nextPacket();
    const { octets } = packet;
    const { headers } = this.#sockets;
    const headerAt = this.#sockets.headerAt(row);
    for (let i = 0; i < RTP_HEADER_BYTES; i += 1) octets[i] = headers.getUint8(headerAt + i);
    octets.set(payload.frames.octets.subarray(payload.offset, payload.offset + payload.length), RTP_HEADER_BYTES);
    const length = sender.sealRtp(octets, RTP_HEADER_BYTES + payload.length);
    payload.frames = packet;
    payload.offset = RTP_HEADER_BYTES;
    payload.length = length - RTP_HEADER_BYTES;
  }
}
