import type { ReportBlock } from './rtcp-packet.ts';

/** How the peer receives what we send, by its own report. */
export interface StreamQuality {
  readonly packetsLost: number;
  readonly jitterMs: number;
  /** Null until a sender report of ours was answered. */
  readonly roundTripMs: number | null;
}

/** A report that says more was on the way for longer is wrong, or made up. */
const MAX_ROUND_TRIP_MS = 60_000;

const roundTripMs = (block: ReportBlock, arrival: number): number | null => {
  if (block.lastSenderReport === 0) return null;
  const units = (arrival - block.lastSenderReport - block.delaySinceSenderReport) | 0;
  // Clocks are read in turn and rounded, so that a short way may come out as less than nothing.
  const ms = Math.max(0, units) / 65.536;
  return ms <= MAX_ROUND_TRIP_MS ? ms : null;
};

/**
 * What a report block about our stream says (RFC 3550 6.4.1). `arrival` is the middle of our NTP time when it came
 * (`middleOfNtp`), by the clock of our sender reports.
 */
export const qualityOf = (
  block: ReportBlock,
  sent: { readonly packets: number; readonly clockRateHz: number },
  arrival: number,
): StreamQuality => ({
  packetsLost: Math.max(0, Math.min(sent.packets, block.cumulativeLost)),
  jitterMs: (block.jitter * 1_000) / sent.clockRateHz,
  roundTripMs: roundTripMs(block, arrival),
});
