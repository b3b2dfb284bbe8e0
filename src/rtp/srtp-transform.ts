/**
 * How one packet is encrypted and authenticated, whatever says which packet it is: `srtp-sender.ts` and
 * `srtp-receiver.ts` keep the counters.
 */

/** Packets of more octets are neither sealed nor opened: UDP voice and RTCP stay below an Ethernet frame's 1,500. */
export const MAX_SRTP_BYTES = 2_048;

/** The first header of a compound RTCP packet with its source stays in the clear (RFC 3711 3.4). */
export const RTCP_CLEAR_BYTES = 8;
export const SRTCP_INDEX_BYTES = 4;
/** The E flag in the word that holds the SRTCP index. */
export const SRTCP_ENCRYPTED = 0x80000000;

/** Where in a packet what lies. Mutable, so that the path of every packet makes no garbage. */
export interface PacketPlan {
  ssrc: number;
  /** RTP: rollover counter and sequence number, 48 bits; RTCP: the SRTCP index, 31 bits. */
  index: number;
  /** Where the encrypted part starts and ends; what is before is authenticated alone. */
  bodyStart: number;
  bodyEnd: number;
  tagStart: number;
  /** False for RTCP whose E flag is 0: authenticated alone. */
  isEncrypted: boolean;
  /** Four octets that are authenticated behind the packet: rollover counter, or E flag and SRTCP index. */
  readonly word: Uint8Array;
}

export const emptyPlan = (): PacketPlan => ({
  ssrc: 0,
  index: 0,
  bodyStart: 0,
  bodyEnd: 0,
  tagStart: 0,
  isEncrypted: true,
  word: new Uint8Array(4),
});

export interface SrtpTransform {
  /** Encrypts the body in place and writes the tag. */
  seal(packet: Uint8Array, plan: PacketPlan): void;
  /** Checks the tag, then decrypts the body in place. False, and the packet untouched, if the tag is wrong. */
  open(packet: Uint8Array, plan: PacketPlan): boolean;
}

export const writeWord = (target: Uint8Array, word: number): void => {
  target[0] = word >>> 24;
  target[1] = word >>> 16;
  target[2] = word >>> 8;
  target[3] = word;
};
