import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '../../test/support/postgres-server.ts';
import type { Bench, BenchRow } from '../bench.ts';
import { startLive } from '../dial/live.ts';
import { openBusyPeer } from './busy-peer.ts';

const DESTINATIONS = 100_000;
const CALLS = 20_000;
const CALLS_PER_SECOND = 200;
const SAMPLES = 10;
const HEAP_EVERY_MS = 500;
const MIB = 1024 * 1024;
const NOTE = `Aim: flat, once the first transactions have ended, which stay for 32 s (RFC 3261 timer D). The least heap is what a
collection leaves; between two of them the heap grows to a few times that.`;
const HEAP = 'nodejs_heap_size_used_bytes';

/** Memory of the server as its own metrics tell it, in each tenth of the calls. */
export const drainBench: Bench = {
  summary: 'memory while a blast to 100,000 drains to a peer that is busy; the first 20,000 or --calls',
  options: ['database', 'calls', 'rate'],
  async run({ database = 'sqlite', calls = String(CALLS), rate = String(CALLS_PER_SECOND) }) {
    const postgres = database === 'postgres' ? await startPostgres([]) : null;
    const pace = { RINGCAST_CALLS_PER_SECOND: rate };
    const settings = postgres ? { ...pace, RINGCAST_DATABASE_URL: postgres.url } : pace;
    const live = await startLive(settings, openBusyPeer);
    let leastHeap = await live.readMetric(HEAP);
    let isOver = false;
    const sampleHeap = async (): Promise<void> => {
      for (; !isOver; await sleep(HEAP_EVERY_MS)) leastHeap = Math.min(leastHeap, await live.readMetric(HEAP));
    };
    const sampling = sampleHeap();
    const rowOf = async (drained: number, perSecond: number | string): Promise<BenchRow> => ({
      database: postgres ? 'PostgreSQL' : 'SQLite',
      'calls over': drained,
      'calls/s': perSecond,
      'RSS MiB': Math.round((await live.readMetric('process_resident_memory_bytes')) / MIB),
      'least heap MiB': Math.round(leastHeap / MIB),
    });
    const users = Array.from({ length: DESTINATIONS }, (_, at) => `d${at}`);
    const networkId = await live.makeNetwork(users);
    const rows = [await rowOf(0, '')];
    const each = Number(calls) / SAMPLES;
    let sinceMs = await live.blast(networkId);
    for (let sample = 1; sample <= SAMPLES; sample++) {
      leastHeap = Number.POSITIVE_INFINITY;
      await live.peer.refused(sample * each);
      const tookMs = performance.now() - sinceMs;
      sinceMs += tookMs;
      rows.push(await rowOf(sample * each, Math.round((each * 1000) / tookMs)));
    }
    isOver = true;
    await sampling;
    await live.clear();
    await postgres?.stop();
    return { rows, notes: [`${NOTE} Here at most ${rate} calls/s.`] };
  },
};
