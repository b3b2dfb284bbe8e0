import type { RtpAddress } from './messages.ts';

/** Frames of one rendition, where they lie. */
export interface Frames {
  readonly octets: Uint8Array;
  /** Where they start in the memory of the process; 0 for sockets that need not know. */
  readonly address: number;
}

/** Why no ports were bound, as a sentence; `isTaken` if other ones may do. */
export interface NotOpened {
  readonly reason: string;
  readonly isTaken: boolean;
}

/** A pair of sockets (RTP and RTCP) for each call, by the row of the call. Nothing that comes in is ever answered. */
export interface CallSockets {
  /** Where `headerAt` says, 12 octets for the RTP header of a row's next packet. */
  readonly headers: DataView;
  headerAt(row: number): number;
  frames(shared: SharedArrayBuffer): Frames;
  /** Binds RTP at `port` and RTCP above it; for 0, at any such pair. Tells the RTP port, perhaps before it returns. */
  open(row: number, port: number, onOpened: (result: number | NotOpened) => void): void;
  /** Where packets go from now on; null, or why they cannot, as a sentence. */
  setPeer(row: number, to: RtpAddress): string | null;
  /**
   * Sends the row's header and octets of `frames`. 0 if the kernel took the packet, else the errno. ECONNREFUSED means
   * that an earlier packet met with an ICMP refusal, told in place of sending this one. Never throws.
   */
  send(row: number, frames: Frames, offset: number, length: number): number;
  /** Closes both; `onClosed` tells that the ports are free, perhaps before it returns. */
  close(row: number, onClosed: () => void): void;
}

/** Tries for a free even port with a free one above it, when the choice is the system's. */
export const MAX_PAIR_TRIES = 50;
