/** Codecs that clips are prepared in, by their names in SDP. */
export type RtpCodec = 'PCMU' | 'PCMA' | 'G722' | 'opus';

/** Clips are prepared in frames of this length. */
export const FRAME_MS = 20;

/** The RTP clock. G.722 samples at 16 kHz but counts at 8, by an old mistake that was kept (RFC 3551 4.5.2). */
export const clockRateOf = (codec: RtpCodec): number => (codec === 'opus' ? 48_000 : 8_000);

const MIN_PACKET_MS = 10;
const MAX_PACKET_MS = 60;

/** The packet time that can be sent and is next below `wantedMs`: 10 to 60 ms in steps of 10, Opus in steps of 20. */
export const packetTimeOf = (codec: RtpCodec, wantedMs: number): number => {
  const stepMs = codec === 'opus' ? FRAME_MS : MIN_PACKET_MS;
  const cut = Math.floor(Math.min(wantedMs, MAX_PACKET_MS) / stepMs) * stepMs;
  return Math.max(stepMs, cut);
};
