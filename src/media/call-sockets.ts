import type { RtcpTarget, RtpAddress } from './messages.ts';

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

/** A packet that came in for a row; `isFromPeer`: from the address that voice is sent to. The octets are its own no longer than the call. */
export type OnPacket = (row: number, octets: Uint8Array, isFromPeer: boolean) => void;

/** Packets that are read at a time, of all calls; what there is more waits in the kernel, or is lost there. */
export const MAX_PACKETS_AT_ONCE = 64;
/** Packets that are read at a time at the RTP port of one call. */
export const MAX_PACKETS_OF_A_CALL = 8;
/** Longer ones are cut, and cannot be read then. */
export const MAX_PACKET_BYTES = 2048;

/** Packets that can be on their way at a time. */
export const MAX_BATCH = 256;

/** What can become of a packet but that the kernel takes it. */
export interface SendFailures {
  /** The kernel did not take it. */
  readonly onFailure: (row: number, errno: number) => void;
  /** An ICMP refusal of an earlier packet was told in its place; it was sent all the same. */
  readonly onPeerRefusal: (row: number) => void;
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
   * Puts a packet on its way: the row's header and octets of `frames`. One of a row at most, and `MAX_BATCH` of all,
   * between two flushes; the octets stay as they are until then. Never throws.
   */
  put(row: number, frames: Frames, offset: number, length: number): void;
  /** Sends what was put, and tells what became of it. Never throws. */
  flush(failures: SendFailures): void;
  /** Lets RTCP in, and RTP of these payload types alone, eight at most; before it is called, nothing. */
  listen(row: number, payloadTypes: readonly number[]): void;
  /** Hands over some of what came in at the RTCP ports. */
  receive(onPacket: OnPacket): void;
  /**
   * Hands over some of what came in at the RTP port of a row, unless `receive` does: a socket that the kernel watches
   * costs more with every packet it sends. True if an ICMP refusal was met, which `flush` will not tell then.
   */
  receiveRtp(row: number, onPacket: OnPacket): boolean;
  /** Where the packet came from that is being handed over. */
  source(): RtpAddress;
  /** After a refusal: what ICMP brought back takes the room of what comes in until then. */
  dropReturned(row: number): void;
  /** Sends octets of `packet` to the RTCP port of the peer: from RTP's port if they share one. Never throws. */
  sendRtcp(row: number, packet: Frames, length: number, to: RtcpTarget): void;
  /** Closes both; `onClosed` tells that the ports are free, perhaps before it returns. */
  close(row: number, onClosed: () => void): void;
}

/** Tries for a free even port with a free one above it, when the choice is the system's. */
export const MAX_PAIR_TRIES = 50;
