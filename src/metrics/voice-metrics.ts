import { Counter, Gauge, type Registry } from 'prom-client';
import type { VoiceFigures } from '../domain/metrics.ts';

/** Metrics of the media threads, and the function that brings them up to date. */
export const voiceReader = (registry: Registry) => {
  const registers = [registry];
  const overloaded = new Gauge({
    name: 'ringcast_media_overloaded',
    help: 'Whether voice leaves too late for new calls, which wait meanwhile.',
    registers,
  });
  const packets = new Counter({ name: 'ringcast_voice_packets_total', help: 'RTP packets of voice.', registers });
  const late = new Counter({
    name: 'ringcast_voice_packets_late_total',
    help: 'RTP packets of voice that left 10 ms late or more.',
    registers,
  });
  const setTo = (counter: Counter, total: number): void => {
    counter.reset();
    counter.inc(total);
  };
  return (voice: VoiceFigures): void => {
    const figures = voice.lateness();
    overloaded.set(voice.isOverloaded() ? 1 : 0);
    setTo(packets, figures.packets);
    setTo(late, figures.latePackets);
  };
};
