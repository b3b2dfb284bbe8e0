import { startPostgres } from '../../test/support/postgres-server.ts';
import type { Bench, BenchRow } from '../bench.ts';
import { startLive } from '../dial/live.ts';
import { openBusyPeer } from './busy-peer.ts';

const DESTINATIONS = 100_000;
const CALLS = 20_000;
const CALLS_PER_SECOND = 200;
const SAMPLES = 10;
const MIB = 1024 * 1024;
const NOTE = 'Aim: flat, once the first transactions have ended, which stay for 32 s (RFC 3261 timer D).';

/** Memory of the server as its own metrics tell it, after each tenth of the calls. */
export const drainBench: Bench = {
  summary: 'memory while a blast to 100,000 drains to a peer that is busy; the first 20,000 or --calls',
  options: ['database', 'calls', 'rate'],
  async run({ database = 'sqlite', calls = String(CALLS), rate = String(CALLS_PER_SECOND) }) {
    const postgres = database === 'postgres' ? await startPostgres([]) : null;
    const pace = { RINGCAST_CALLS_PER_SECOND: rate };
    const settings = postgres ? { ...pace, RINGCAST_DATABASE_URL: postgres.url } : pace;
    const live = await startLive(settings, openBusyPeer);
    const rowOf = async (drained: number, perSecond: number | string): Promise<BenchRow> => ({
      database: postgres ? 'PostgreSQL' : 'SQLite',
      'calls over': drained,
      'calls/s': perSecond,
      'RSS MiB': Math.round((await live.readMetric('process_resident_memory_bytes')) / MIB),
      'heap used MiB': Math.round((await live.readMetric('nodejs_heap_size_used_bytes')) / MIB),
    });
    const users = Array.from({ length: DESTINATIONS }, (_, at) => `d${at}`);
    const networkId = await live.makeNetwork(users);
    const rows = [await rowOf(0, '')];
    const each = Number(calls) / SAMPLES;
    let sinceMs = await live.blast(networkId);
    for (let sample = 1; sample <= SAMPLES; sample++) {
      await live.peer.refused(sample * each);
      const tookMs = performance.now() - sinceMs;
      sinceMs += tookMs;
      rows.push(await rowOf(sample * each, Math.round((each * 1000) / tookMs)));
    }
    await live.clear();
    await postgres?.stop();
    return { rows, notes: [`${NOTE} Here at most ${rate} calls/s.`] };
  },
};
