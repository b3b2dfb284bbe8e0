import { join } from 'node:path';
import type { Bench, BenchRow } from '../bench.ts';
import { runChild, startChild } from '../support/child.ts';
import type { LoadFigures, LoadOrder } from '../support/load-order.ts';
import { makePostgres, makeSqlite } from './database.ts';
import { startRingcast } from './ringcast.ts';

const CONNECTIONS = 64;
const WARM_UP_SECONDS = 3;
const ROUNDS = 3;
const ROUND_SECONDS = 5;
const STEADY_PER_SECOND = 500;
const STEADY_SECONDS = 10;
const AIMS: Readonly<Record<string, number>> = { SQLite: 10_000, PostgreSQL: 3000 };
const AIM_P99_MS = 50;

interface Target {
  readonly name: string;
  readonly url: string;
}

const load = (target: Target, form: string, seconds: number, perSecond: number | null): Promise<LoadFigures> => {
  const order: LoadOrder = { url: target.url, form, connections: CONNECTIONS, seconds, perSecond };
  const script = join(import.meta.dirname, '..', 'support', 'load.ts');
  return runChild(script, [JSON.stringify(order)]) as Promise<LoadFigures>;
};

const round = (value: number, digits: number): number => Number(value.toFixed(digits));

const rowOf = (target: string, load: string, own: LoadFigures, baseline: LoadFigures): BenchRow => ({
  load,
  target,
  '202s/s': round(own.perSecond, 0),
  'of baseline': `${round((100 * own.perSecond) / baseline.perSecond, 0)} %`,
  'p50 ms': round(own.p50Ms, 2),
  'p99 ms': round(own.p99Ms, 2),
  'max ms': round(own.maxMs, 2),
});

/** The round in the middle, by speed. */
const median = (rounds: readonly LoadFigures[]): LoadFigures => {
  const sorted = rounds.toSorted((a, b) => a.perSecond - b.perSecond);
  return sorted[Math.floor(sorted.length / 2)] as LoadFigures;
};

interface Measured {
  readonly fast: readonly LoadFigures[];
  readonly steady: LoadFigures;
  /** Every 202 that the target answered, warm-up included. */
  readonly accepted: number;
  readonly refused: number;
}

/** Rounds take turns, so that what else the machine does strikes all targets alike. */
const measure = async (targets: readonly Target[], form: string): Promise<Measured[]> => {
  const all = targets.map((): LoadFigures[] => []);
  const loadEach = async (seconds: number, perSecond: number | null): Promise<void> => {
    for (const [index, target] of targets.entries()) all[index]?.push(await load(target, form, seconds, perSecond));
  };
  await loadEach(WARM_UP_SECONDS, null);
  for (let number = 0; number < ROUNDS; number++) await loadEach(ROUND_SECONDS, null);
  await loadEach(STEADY_SECONDS, STEADY_PER_SECOND);
  return all.map((figures) => ({
    fast: figures.slice(1, -1),
    steady: figures.at(-1) as LoadFigures,
    accepted: figures.reduce((sum, { accepted }) => sum + accepted, 0),
    refused: figures.reduce((sum, { refused }) => sum + refused, 0),
  }));
};

const rowsOf = (targets: readonly Target[], measured: readonly Measured[]): BenchRow[] => {
  const rates = [`${CONNECTIONS} connections, as fast as answered`, `${STEADY_PER_SECOND} a second`];
  const figures = [measured.map(({ fast }) => median(fast)), measured.map(({ steady }) => steady)];
  return rates.flatMap((rate, which) =>
    targets.map(({ name }, index) => {
      const own = figures[which]?.[index] as LoadFigures;
      const baseline = figures[which]?.at(-1) as LoadFigures;
      return rowOf(name, rate, own, baseline);
    }),
  );
};

const notesOf = (ringcast: Measured, rowsOnDisk: number, aimPerSecond: number): string[] => [
  `After kill -9 the database holds ${rowsOnDisk} blasts, one for each of ${ringcast.accepted} answers 202.`,
  `The first lines are the median of ${ROUNDS} rounds of ${ROUND_SECONDS} s in turn; load comes from a process of its own on the same machine.`,
  `Aim on 2 cores: at least ${aimPerSecond} a second, p99 below ${AIM_P99_MS} ms at ${STEADY_PER_SECOND} a second.`,
];

/** A 202 without its row would make every figure worthless. */
const check = (ringcast: Measured, rowsOnDisk: number): void => {
  if (rowsOnDisk !== ringcast.accepted) throw new Error(`${ringcast.accepted} times 202, but ${rowsOnDisk} blasts`);
  if (ringcast.refused > 0) throw new Error(`${ringcast.refused} requests were answered with another status than 202`);
};

const run: Bench['run'] = async ({ database: kind = 'sqlite' }) => {
  const database = await (kind === 'postgres' ? makePostgres() : makeSqlite());
  const bareArguments = [database.directory, database.settings.RINGCAST_DATABASE_URL ?? ''];
  const bare = await startChild(join(import.meta.dirname, 'bare-server.ts'), bareArguments);
  const ringcast = await startRingcast(database);
  try {
    const { public: bareUrl } = bare.ready as { public: string };
    const targets = [
      { name: `ringcast on ${database.name}`, url: ringcast.url },
      { name: `bare Fastify, a bare INSERT each`, url: `${bareUrl}/insert/101` },
      { name: 'bare Fastify', url: `${bareUrl}/answer/101` },
    ];
    const measured = await measure(targets, ringcast.form);
    const rowsOnDisk = await ringcast.killAndCount();
    const [ofRingcast] = measured as [Measured];
    check(ofRingcast, rowsOnDisk);
    return { rows: rowsOf(targets, measured), notes: notesOf(ofRingcast, rowsOnDisk, AIMS[database.name] ?? 0) };
  } finally {
    await bare.kill();
    await ringcast.clear();
    await database.clear();
  }
};

export const acceptBench: Bench = {
  summary: 'durable 202s a second and their latency, beside bare Fastify handlers with the same answer',
  options: ['database'],
  run,
};
