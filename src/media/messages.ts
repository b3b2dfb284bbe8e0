import type { CarriedCodec } from '../domain/codec.ts';

/** What crosses the thread boundary: orders and reports, never packets. `call` numbers a media port. */
export type ThreadOrder =
  | {
      readonly type: 'prepare';
      readonly call: number;
      readonly clips: readonly SharedClip[];
      readonly counters: SharedArrayBuffer;
    }
  | { readonly type: 'play'; readonly call: number; readonly to: PlayTarget }
  | { readonly type: 'redirect'; readonly call: number; readonly to: PlayTarget }
  | { readonly type: 'stop'; readonly call: number };

export type ThreadReport =
  | { readonly type: 'ready' }
  | { readonly type: 'prepared'; readonly call: number; readonly port: number }
  /** No port could be bound; the call is forgotten. */
  | { readonly type: 'refused'; readonly call: number; readonly reason: string }
  /** The last frame was sent and its 20 ms are over. */
  | { readonly type: 'finished'; readonly call: number }
  /** The socket is closed, the port free again. */
  | { readonly type: 'stopped'; readonly call: number }
  /** First packet of this call that the kernel did not take. */
  | { readonly type: 'send_failed'; readonly call: number; readonly reason: string };

/** Given to the worker at its start. */
export interface ThreadSettings {
  readonly bindAddress: string;
  /** First and last RTP port of the range, `[0, 0]` for any. */
  readonly ports: readonly [number, number];
}

export interface SharedClip {
  readonly frameCount: number;
  readonly renditions: Readonly<Record<CarriedCodec, SharedArrayBuffer>>;
}

export interface RtpAddress {
  /** A numeric IP address: names are not looked up. */
  readonly address: string;
  readonly port: number;
}

export interface PlayTarget extends RtpAddress {
  readonly payloadType: number;
  readonly codec: CarriedCodec;
}
