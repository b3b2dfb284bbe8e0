/**
 * Codecs a clip is prepared for, by their names in SDP (RFC 3551, RFC 7587), the one that sounds best first: a trunk
 * offers them in this order unless told otherwise.
 */
export const CODECS = ['opus', 'G722', 'PCMU', 'PCMA'] as const;
export type Codec = (typeof CODECS)[number];

export const FRAME_MS = 20;
/** Octets of one 20 ms frame of G.711 (8,000 samples a second, one octet each). */
export const G711_FRAME_BYTES = 160;

/** What a rendition of a codec is made of. Every 20 ms frame of a codec has the same number of octets. */
export interface CodecFrames {
  readonly frameBytes: number;
  /** Clock of its RTP timestamps: 8,000 Hz for G.722 although it has 16,000 samples a second (RFC 3551 4.5.2). */
  readonly clockRateHz: number;
  readonly sampleRateHz: number;
  /** Whether frames may be cut and joined at any whole millisecond, for a peer that wants another packet time. */
  readonly divisible: boolean;
}

/** Opus is mono at a constant 24 kbit/s, with in-band FEC and without DTX: each frame is one packet of RFC 6716 3. */
export const CODEC_FRAMES: Readonly<Record<Codec, CodecFrames>> = {
  opus: { frameBytes: 60, clockRateHz: 48_000, sampleRateHz: 48_000, divisible: false },
  G722: { frameBytes: 160, clockRateHz: 8000, sampleRateHz: 16_000, divisible: true },
  PCMU: { frameBytes: G711_FRAME_BYTES, clockRateHz: 8000, sampleRateHz: 8000, divisible: true },
  PCMA: { frameBytes: G711_FRAME_BYTES, clockRateHz: 8000, sampleRateHz: 8000, divisible: true },
};

/** Octets of a whole rendition. */
export const renditionBytes = (codec: Codec, frameCount: number): number => frameCount * CODEC_FRAMES[codec].frameBytes;
