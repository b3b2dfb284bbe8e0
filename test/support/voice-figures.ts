import { sampleValue, scrape } from './scrape.ts';
import type { ServerProcess } from './server-process.ts';

/** Packets of voice that a server has sent since its start, and those of them that left 10 ms late or more. */
export interface VoiceFigures {
  readonly packets: number;
  readonly late: number;
}

export const voiceFigures = async (server: ServerProcess): Promise<VoiceFigures> => {
  const text = await scrape(server);
  const packets = sampleValue(text, 'ringcast_voice_packets_total') ?? 0;
  return { packets, late: sampleValue(text, 'ringcast_voice_packets_late_total') ?? 0 };
};

/** The figures once so many packets more have been sent; the test's own time-out bounds it. */
export const voiceAfter = async (server: ServerProcess, packets: number): Promise<VoiceFigures> => {
  const before = await voiceFigures(server);
  for (;;) {
    const now = await voiceFigures(server);
    if (now.packets >= before.packets + packets) return now;
  }
};

/** The share of packets that were late between two looks. */
export const lateShare = (from: VoiceFigures, to: VoiceFigures): number =>
  (to.late - from.late) / Math.max(to.packets - from.packets, 1);
