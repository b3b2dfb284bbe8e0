/** Codecs that clips are prepared in, by their names in SDP. */
export type RtpCodec = 'PCMU' | 'PCMA' | 'G722' | 'opus';

/** Clips are prepared in frames of this length. */
export const FRAME_MS = 20;

export interface PacketLayout {
  /** What a packet holds, and how often one is sent. */
  readonly packetTimeMs: number;
  /** Octets of payload: 80 for every 10 ms; null for Opus, whose frames are joined whole (`joinOpus`). */
  readonly payloadBytes: number | null;
  /** Prepared frames in a packet: half a one at 10 ms. */
  readonly frames: number;
  /** What the RTP timestamp advances by. */
  readonly timestampStep: number;
}

/** The RTP clock. G.722 samples at 16 kHz but counts at 8, by an old mistake that was kept (RFC 3551 4.5.2). */
export const clockRateOf = (codec: RtpCodec): number => (codec === 'opus' ? 48_000 : 8_000);

/** Octets of 10 ms of G.711, and of G.722 at 64 kbit/s. */
const BYTES_PER_10_MS = 80;
const MIN_PACKET_MS = 10;
const MAX_PACKET_MS = 60;

/** The packet time that can be sent and is next below `wantedMs`: 10 to 60 ms in steps of 10, Opus in steps of 20. */
export const packetTimeOf = (codec: RtpCodec, wantedMs: number): number => {
  const stepMs = codec === 'opus' ? FRAME_MS : MIN_PACKET_MS;
  const cut = Math.floor(Math.min(wantedMs, MAX_PACKET_MS) / stepMs) * stepMs;
  return Math.max(stepMs, cut);
};

/** How packets of about `wantedMs` are made from prepared frames. */
export const packetLayout = (codec: RtpCodec, wantedMs: number): PacketLayout => {
  const packetTimeMs = packetTimeOf(codec, wantedMs);
  return {
    packetTimeMs,
    payloadBytes: codec === 'opus' ? null : (packetTimeMs / 10) * BYTES_PER_10_MS,
    frames: packetTimeMs / FRAME_MS,
    timestampStep: (packetTimeMs * clockRateOf(codec)) / 1_000,
  };
};
