import type { Codec } from '../domain/codec.ts';
import type { CallSockets } from './call-sockets.ts';
import { Hearing } from './hearing.ts';
import type { ThreadReport } from './messages.ts';
import { type Clip, SLOTS_PER_FRAME } from './payloads.ts';
import type { Seal } from './sealing.ts';

/** What of a call is no number. */
export interface Voice {
  readonly call: number;
  readonly clips: readonly Clip[];
  /** Of the clips, in slots. */
  readonly lengths: readonly number[];
  readonly counters: Int32Array;
  state: 'opening' | 'prepared' | 'playing' | 'held' | 'played';
  codec: Codec;
  packetSlots: number;
  seal: Seal | null;
  readonly hearing: Hearing;
  hasFailed: boolean;
  canSend: boolean;
}

/** A call whose ports are being opened. */
export const newVoice = (call: number, clips: readonly Clip[], counters: Int32Array): Voice => ({
  call,
  clips,
  lengths: clips.map(({ frameCount }) => frameCount * SLOTS_PER_FRAME),
  counters,
  state: 'opening',
  codec: 'PCMU',
  packetSlots: SLOTS_PER_FRAME,
  seal: null,
  hearing: new Hearing(),
  hasFailed: false,
  canSend: false,
});

export interface VoicesOptions {
  readonly sockets: CallSockets;
  /** Calls that can be held at once. */
  readonly rows: number;
  /** A monotonic clock. */
  readonly nowMs: () => number;
  readonly report: (report: ThreadReport) => void;
  readonly onPacket: (lateMs: number) => void;
}
