// `node player.ts ORDER`: plays to the sink, measures itself, writes its figures as one line.
import { setTimeout as sleep } from 'node:timers/promises';
import { createVitalsMemory, type Lateness, readLateness, vitalsWriter } from '../../src/media/vitals.ts';
import { startDgram } from './dgram-player.ts';
import { startFloor } from './floor-player.ts';
import type { PlayerFigures, PlayerOrder } from './player-order.ts';
import { residentBytes } from './resident-bytes.ts';
import { startRingcastPlayer } from './ringcast-player.ts';

const WARM_UP_MS = 3000;

export interface Player {
  /** Memory of the process before the calls, in octets. */
  readonly bytesBefore: number;
  lateness(): Lateness;
  /** Delays of first packets, in milliseconds. */
  firstAudioMs?(): Promise<readonly number[]>;
  stop(): Promise<void>;
}

const order: PlayerOrder = JSON.parse(process.argv[2] ?? '');

const start = (): Player | Promise<Player> => {
  if (order.player !== 'floor' && order.player !== 'dgram') return startRingcastPlayer(order);
  const bytesBefore = residentBytes();
  const memory = createVitalsMemory();
  const { notePacket } = vitalsWriter(memory);
  const stop = (order.player === 'floor' ? startFloor : startDgram)(order, notePacket);
  return { bytesBefore, lateness: () => readLateness([memory]), stop };
};

/** The bands of what came between two readings. */
const between = (before: Lateness, after: Lateness): readonly number[] =>
  after.bands.map((packets, band) => packets - (before.bands[band] ?? 0));

const percentileMs = (bands: readonly number[], share: number, maxMs: number): number | null => {
  if (order.player === 'floor') return null;
  const wanted = share * bands.reduce((sum, packets) => sum + packets, 0);
  let within = 0;
  const band = bands.findIndex((packets) => {
    within += packets;
    return within >= wanted;
  });
  return band === bands.length - 1 ? maxMs : (band + 1) / 10;
};

const player = await start();
await sleep(WARM_UP_MS);
const bytesPerCall = (residentBytes() - player.bytesBefore) / order.calls;
const before = player.lateness();
const [cpuBefore, startMs] = [process.cpuUsage(), performance.now()];
await sleep(order.seconds * 1000);
const cpu = process.cpuUsage(cpuBefore);
const after = player.lateness();
const wallMs = performance.now() - startMs;
const delaysMs = ((await player.firstAudioMs?.()) ?? []).toSorted((a, b) => a - b);
await player.stop();

const bands = between(before, after);
const figures: PlayerFigures = {
  cpuMs: (cpu.user + cpu.system) / 1000,
  wallMs,
  packets: after.packets - before.packets,
  p50Ms: percentileMs(bands, 0.5, after.maxMs),
  p99Ms: percentileMs(bands, 0.99, after.maxMs),
  p999Ms: percentileMs(bands, 0.999, after.maxMs),
  maxMs: percentileMs(bands, 1, after.maxMs),
  firstAudioP99Ms: delaysMs[Math.ceil(0.99 * delaysMs.length) - 1] ?? null,
  bytesPerCall,
};
console.log(JSON.stringify(figures));
process.exit(0);
