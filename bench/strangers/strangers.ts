import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startStorm } from '../../test/support/stranger-storm.ts';
import type { Bench, BenchRow } from '../bench.ts';

const CALLS = 200;
const PER_SECOND = 10_000;
const WARM_UP_SECONDS = 5;
const SECONDS = 60;

const collect = (): void => {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
};

const megabytes = (bytes: number): number => Number((bytes / 2 ** 20).toFixed(1));

interface Reading {
  readonly atMs: number;
  readonly cpu: NodeJS.CpuUsage;
  readonly received: number;
}

const rowOf = (when: string, from: Reading, to: Reading): BenchRow => {
  collect();
  const { heapUsed, rss } = process.memoryUsage();
  const cpuMs = (to.cpu.user + to.cpu.system - from.cpu.user - from.cpu.system) / 1_000;
  return {
    when,
    'received/s': Math.round((1_000 * (to.received - from.received)) / (to.atMs - from.atMs)),
    'CPU % of a core': Math.round((100 * cpuMs) / (to.atMs - from.atMs)),
    'heap MB': megabytes(heapUsed),
    'RSS MB': megabytes(rss),
  };
};

/** Sending takes part of the CPU: the stranger lives in the same process. */
export const strangersBench: Bench = {
  summary: `${PER_SECOND} messages of strangers a second during ${CALLS} calls, for a minute`,
  run: async () => {
    const storm = await startStorm(CALLS);
    const before = JSON.stringify(storm.counts());
    const read = (): Reading => ({ atMs: performance.now(), cpu: process.cpuUsage(), received: storm.received() });
    const blow = async (when: string, seconds: number): Promise<BenchRow> => {
      const from = read();
      await storm.blow(PER_SECOND * seconds, PER_SECOND);
      return rowOf(when, from, read());
    };
    const rows = [await blow(`first ${WARM_UP_SECONDS} s`, WARM_UP_SECONDS)];
    for (let part = 1; part <= 4; part++) rows.push(await blow(`quarter ${part} of the minute`, SECONDS / 4));
    if (JSON.stringify(storm.counts()) !== before) throw new Error('Strangers left something in the tables.');
    const { results, ended } = await storm.finish();
    const completed = results.filter(({ outcome }) => outcome === 'completed').length;
    if (completed < CALLS || ended < CALLS) throw new Error(`Only ${completed} of ${CALLS} calls ran to their end.`);
    if (storm.answered() > 0) throw new Error(`Strangers were answered ${storm.answered()} times.`);
    return { rows, notes: [`All ${CALLS} calls completed; ${storm.received()} messages received, none answered.`] };
  },
};
