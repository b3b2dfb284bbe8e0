import { startPostgres } from '../../test/support/postgres-server.ts';
import type { Bench } from '../bench.ts';
import { openAnsweringPeer } from './answering-peer.ts';
import { startLive } from './live.ts';

const RATE = 50;
const NODES = 3;
const SECONDS = 60;
const WARM_UP_MS = 2000;

export const paceBench: Bench = {
  summary: 'calls a second that a trunk of 50 gets from three nodes on one PostgreSQL, for a minute',
  options: ['seconds'],
  async run({ seconds }) {
    const lengthMs = Number(seconds ?? SECONDS) * 1000;
    const postgres = await startPostgres([]);
    const live = await startLive({ RINGCAST_DATABASE_URL: postgres.url }, openAnsweringPeer);
    for (let node = 1; node < NODES; node++) await live.addNode();
    const calls = Math.ceil(((lengthMs + WARM_UP_MS) / 1000) * RATE * 1.2);
    const numbers = Array.from({ length: calls }, (_, at) => `+1555${String(at).padStart(7, '0')}`);
    await live.blast(await live.makePacedNetwork(numbers, RATE));
    await new Promise((resolve) => setTimeout(resolve, WARM_UP_MS + lengthMs));
    const all = live.peer.invitedAtMs;
    const from = (all[0] ?? 0) + WARM_UP_MS / 2;
    const atMs = all.filter((at) => at >= from && at < from + lengthMs);
    await live.clear();
    await postgres.stop();
    const inSecondFrom = atMs.map((start) => atMs.filter((at) => at >= start && at < start + 1000).length);
    const row = {
      nodes: NODES,
      calls: atMs.length,
      'per s, average': Number(((atMs.length * 1000) / lengthMs).toFixed(2)),
      'most in any second': Math.max(...inSecondFrom),
    };
    return { rows: [row], notes: ['aim: never more than 51 in any second, at least 48 on average'] };
  },
};
