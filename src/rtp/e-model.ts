import type { RtpCodec } from './packet-layout.ts';

/** What the estimate is made from. */
export interface ListeningConditions {
  readonly codec: RtpCodec;
  /** 0 to 1, lost packets over packets sent. */
  readonly lostShare: number;
  readonly jitterMs: number;
  /** Null counts as none. */
  readonly roundTripMs: number | null;
  readonly packetTimeMs: number;
}

/** ITU-T G.107's default R, everything but codec, loss and delay at its default. */
const DEFAULT_R = 93.2;

/**
 * Equipment impairment Ie and robustness against loss Bpl: ITU-T G.113 appendix I for G.711 with concealment. The
 * narrowband scale has no room above G.711, so wideband codecs are rated as if they impaired nothing; there is no G.113
 * value of Bpl for Opus and G.722 on this scale, and G.711's is taken.
 */
const IMPAIRMENTS: Readonly<Record<RtpCodec, { readonly ie: number; readonly bpl: number }>> = {
  PCMU: { ie: 0, bpl: 25.1 },
  PCMA: { ie: 0, bpl: 25.1 },
  G722: { ie: 0, bpl: 25.1 },
  opus: { ie: 0, bpl: 25.1 },
};

/** Mouth to ear: half the round trip, the packet itself, and a jitter buffer of twice the jitter. */
const delayMs = ({ roundTripMs, packetTimeMs, jitterMs }: ListeningConditions): number =>
  (roundTripMs ?? 0) / 2 + packetTimeMs + 2 * jitterMs;

/** G.107's Id for a line without echo, as two straight lines. */
const delayImpairment = (ms: number): number => 0.024 * ms + 0.11 * Math.max(0, ms - 177.3);

const lossImpairment = (codec: RtpCodec, lostShare: number): number => {
  const { ie, bpl } = IMPAIRMENTS[codec];
  const percent = 100 * Math.max(0, Math.min(1, lostShare));
  return ie + ((95 - ie) * percent) / (percent + bpl);
};

const mosOfR = (r: number): number => {
  if (r <= 0) return 1;
  return r >= 100 ? 4.5 : Math.max(1, 1 + 0.035 * r + r * (r - 60) * (100 - r) * 7e-6);
};

/**
 * An estimate of the mean opinion score, 1 to 4.5, by a simplified E-model (ITU-T G.107): what people would say of the
 * line, reckoned from loss, delay and codec. Nobody listened, and the recording itself is not rated.
 */
export const estimateMos = (conditions: ListeningConditions): number =>
  mosOfR(DEFAULT_R - delayImpairment(delayMs(conditions)) - lossImpairment(conditions.codec, conditions.lostShare));
