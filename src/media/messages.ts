import type { Codec } from '../domain/codec.ts';
import type { SrtpKeying } from '../rtp/srtp-suite.ts';

/**
 * What crosses the thread boundary: orders and reports, never packets. `call` is the row of a call in the tables of its
 * thread, which another has once it is told as stopped or refused; `clip` numbers a clip, which crosses once for all
 * calls that play it.
 */
export type ThreadOrder =
  | { readonly type: 'load'; readonly clip: number; readonly audio: SharedClip }
  | { readonly type: 'unload'; readonly clip: number }
  | {
      readonly type: 'prepare';
      readonly call: number;
      /** RTP port, with RTCP on the one above it; 0 for any. */
      readonly port: number;
      readonly clips: readonly number[];
    }
  | { readonly type: 'play'; readonly call: number; readonly to: PlayTarget }
  | { readonly type: 'redirect'; readonly call: number; readonly to: PlayTarget }
  | { readonly type: 'hold' | 'resume' | 'stop'; readonly call: number };

export type ThreadReport =
  | ReadyReport
  | { readonly type: 'prepared'; readonly call: number; readonly port: number }
  /** No ports could be bound; the call is forgotten. `isTaken`: another port may do. */
  | { readonly type: 'refused'; readonly call: number; readonly reason: string; readonly isTaken: boolean }
  /** The last frame was sent and its 20 ms are over. */
  | { readonly type: 'finished'; readonly call: number }
  /** The peer's machine refuses our voice, and nothing is heard of the peer: nothing more is sent. */
  | { readonly type: 'peer_refuses'; readonly call: number }
  /** A key was pressed while clip number `clip` was at `placeMs`. */
  | {
      readonly type: 'digit';
      readonly call: number;
      readonly digit: string;
      readonly clip: number;
      readonly placeMs: number;
    }
  /** The sockets are closed, the ports free again. */
  | { readonly type: 'stopped'; readonly call: number }
  /** First packet of this call that cannot be sent as things are. */
  | { readonly type: 'send_failed'; readonly call: number; readonly reason: string };

export interface ReadyReport {
  readonly type: 'ready';
  /** What is used in place of what would be better, and why; null if nothing is. */
  readonly fallback: string | null;
}

/** Given to the worker at its start. */
export interface ThreadSettings {
  readonly bindAddress: string;
  readonly sockets: SocketKind;
  readonly memory: SharedMemory;
}

/**
 * `auto`: the C library's, packets by the batch through `io_uring`; where the kernel does not let us, `sendmsg`, a system
 * call a packet; where koffi cannot reach the C library, `portable`: those of `node:dgram`.
 */
export type SocketKind = 'auto' | 'sendmsg' | 'portable';

/** What both sides see. */
export interface SharedMemory {
  /** One number; it is changed and notified when an order was posted. */
  readonly wake: SharedArrayBuffer;
  /** See `vitals.ts`. */
  readonly vitals: SharedArrayBuffer;
  /** File descriptors that are open, each plus one: a thread that dies cannot close them itself. */
  readonly descriptors: SharedArrayBuffer;
  /** See `counters.ts`. */
  readonly counters: SharedArrayBuffer;
}

/** Calls of one thread, playing or not. */
export const MAX_CALLS_PER_THREAD = 16_384;

export interface SharedClip {
  readonly frameCount: number;
  readonly renditions: Readonly<Record<Codec, SharedArrayBuffer>>;
}

export interface RtpAddress {
  /** A numeric IP address: names are not looked up. */
  readonly address: string;
  readonly port: number;
}

/** Where reports go. */
export interface RtcpTarget extends RtpAddress {
  /** On the port of RTP (RFC 5761). */
  readonly isMux: boolean;
}

export interface PlayTarget extends RtpAddress {
  readonly payloadType: number;
  readonly codec: Codec;
  /** How much voice a packet holds: what `packetTimeOf` gives for the codec. */
  readonly packetTimeMs: number;
  /** What we encrypt with; null for voice in the clear. Never to be logged. */
  readonly sealing: SrtpKeying | null;
  /** What the peer encrypts with. Never to be logged. */
  readonly opening: SrtpKeying | null;
  /** Payload types that telephone-events come under, eight at most. */
  readonly eventPayloadTypes: readonly number[];
  /** Whether the peer may speak, and be spoken to, from elsewhere: see `latch.ts`. */
  readonly comedia: boolean;
  /** Null if the peer named no place for reports. */
  readonly rtcp: RtcpTarget | null;
}
