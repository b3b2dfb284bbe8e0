import { CODEC_FRAMES, type Codec } from '../domain/codec.ts';
import { SLOT_MS } from '../rtp/playout.ts';
import { SrtpSender } from '../rtp/srtp-sender.ts';
import type { CallSockets } from './call-sockets.ts';
import type { Counters, Sent } from './counters.ts';
import { Hearing } from './hearing.ts';
import type { PlayTarget, RtcpTarget, ThreadReport } from './messages.ts';
import { type Clip, SLOTS_PER_FRAME } from './payloads.ts';
import type { Reports } from './reports.ts';
import { type Seal, sealFor } from './sealing.ts';
import type { StreamNumbers } from './stream-numbers.ts';

/** What of a call is no number. */
export interface Voice {
  readonly clips: readonly Clip[];
  /** Of the clips, in slots. */
  readonly lengths: readonly number[];
  state: 'opening' | 'prepared' | 'playing' | 'held' | 'played';
  codec: Codec;
  packetSlots: number;
  seal: Seal | null;
  readonly hearing: Hearing;
  /** From the first packet on. */
  reports: Reports | null;
  rtcp: RtcpTarget | null;
  /** When to look what came in at its RTP port, and whether to report. */
  nextLookMs: number;
  hasFailed: boolean;
  canSend: boolean;
}

/** A call whose ports are being opened. */
export const newVoice = (clips: readonly Clip[]): Voice => ({
  clips,
  lengths: clips.map(({ frameCount }) => frameCount * SLOTS_PER_FRAME),
  state: 'opening',
  codec: 'PCMU',
  packetSlots: SLOTS_PER_FRAME,
  seal: null,
  hearing: new Hearing(),
  reports: null,
  rtcp: null,
  nextLookMs: 0,
  hasFailed: false,
  canSend: false,
});

/**
 * Packets are made so from now on; whether that begins another source. Another clock does, and another key: packets under
 * it are numbered from the lower half, as those of a first one must be.
 */
export const setFormat = (voice: Voice, to: PlayTarget, numbers: StreamNumbers, row: number, sent: Sent): boolean => {
  const seal = sealFor(to.sealing, voice.seal);
  if (seal !== voice.seal && seal !== null) numbers.reset(row);
  voice.seal = seal;
  voice.codec = to.codec;
  voice.packetSlots = to.packetTimeMs / SLOT_MS;
  voice.rtcp = to.rtcp;
  if (!numbers.setFormat(row, to.payloadType, CODEC_FRAMES[to.codec].clockRateHz)) return false;
  voice.reports?.restart(sent);
  if (seal) seal.sender = new SrtpSender(seal.protection);
  return true;
};

export interface VoicesOptions {
  readonly sockets: CallSockets;
  readonly counters: Counters;
  /** Calls that can be held at once. */
  readonly rows: number;
  /** A monotonic clock. */
  readonly nowMs: () => number;
  readonly report: (report: ThreadReport) => void;
  readonly onPacket: (lateMs: number) => void;
}
