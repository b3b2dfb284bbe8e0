import { startPostgres } from '../../test/support/postgres-server.ts';
import { openSqliteFixture } from '../../test/support/store-fixture.ts';
import type { Bench, BenchRow } from '../bench.ts';
import { openAnsweringPeer } from './answering-peer.ts';
import { claimCost } from './claim-cost.ts';
import { startLive } from './live.ts';
import { openPostgresFixture } from './postgres-fixture.ts';

const WAITING = [0, 10_000, 1_000_000];
const IDLE_BLASTS = 50;
const CALLS = 2000;
const LARGE = 100_000;

export const dialBench: Bench = {
  summary: 'what a claim costs, 202 to INVITE, calls a second end to end, a network of 100,000',
  options: ['database'],
  async run({ database = 'sqlite' }) {
    const [name, open] = database === 'postgres' ? (['PostgreSQL', openPostgresFixture] as const) : SQLITE;
    const rows: BenchRow[] = [];
    for (const waiting of WAITING) {
      const fixture = await open();
      rows.push(await claimCost(name, fixture, waiting));
      await fixture.close();
    }
    const notes: string[] = [];
    for (const measure of [idle, endToEnd, large]) {
      const postgres = database === 'postgres' ? await startPostgres([]) : null;
      notes.push(await measure(postgres ? { RINGCAST_DATABASE_URL: postgres.url } : {}));
      await postgres?.stop();
    }
    return { rows, notes };
  },
};

const SQLITE = ['SQLite', openSqliteFixture] as const;
type Settings = Readonly<Record<string, string>>;

/** One blast at a time to an idle server. */
const idle = async (settings: Settings): Promise<string> => {
  const live = await startLive(settings, openAnsweringPeer);
  const delaysMs: number[] = [];
  for (let at = 0; at < IDLE_BLASTS; at++) {
    const acceptedAtMs = await live.blast(await live.makeNetwork([`idle${at}`]));
    delaysMs.push((await live.peer.invited(`idle${at}`)) - acceptedAtMs);
    await live.peer.ended(at + 1);
  }
  await live.clear();
  delaysMs.sort((a, b) => a - b);
  const at = (share: number) => delaysMs[Math.floor(share * IDLE_BLASTS)]?.toFixed(1);
  return `202 to INVITE, idle: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms (aim: p50 below 10 ms)`;
};

const usersOf = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}${at}`);

const endToEnd = async (settings: Settings): Promise<string> => {
  const live = await startLive(settings, openAnsweringPeer);
  const networkId = await live.makeNetwork(usersOf('e', CALLS));
  const startedAtMs = await live.blast(networkId);
  await live.peer.ended(CALLS);
  const perSecond = Math.round((CALLS * 1000) / (performance.now() - startedAtMs));
  await live.clear();
  return `${CALLS} calls, answered and hung up by the peer: ${perSecond} calls/s`;
};

/** Import, 202, and one call behind all of them at 50 calls/s. */
const large = async (settings: Settings): Promise<string> => {
  const live = await startLive({ ...settings, RINGCAST_CALLS_PER_SECOND: '50' }, openAnsweringPeer);
  const importedAtMs = performance.now();
  const largeId = await live.makeNetwork(usersOf('l', LARGE));
  const importMs = performance.now() - importedAtMs;
  const behindId = await live.makeNetwork(['behind']);
  const postedAtMs = performance.now();
  const acceptMs = (await live.blast(largeId)) - postedAtMs;
  await live.peer.ended(100);
  const behindAtMs = await live.blast(behindId);
  const waitedMs = (await live.peer.invited('behind')) - behindAtMs;
  await live.clear();
  const figures = `import ${(importMs / 1000).toFixed(1)} s (aim: 10 s), 202 ${acceptMs.toFixed(0)} ms (aim: 500 ms)`;
  return `${LARGE} destinations: ${figures}; one call behind them at 50 calls/s is dialled after ${waitedMs.toFixed(0)} ms`;
};
