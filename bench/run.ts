// `npm run bench -- NAME [--json FILE]`
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { acceptBench } from './accept/accept.ts';
import type { Bench, BenchOptions } from './bench.ts';
import { dialBench } from './dial/dial.ts';
import { paceBench } from './dial/pace.ts';
import { drainBench } from './drain/drain.ts';
import { firstAudioBench } from './first-audio/first-audio.ts';
import { ingestBench } from './ingest/ingest.ts';
import { describeMachine, machineLine } from './machine.ts';
import { packetBench } from './packet/packet.ts';
import { parseBench } from './parse/parse.ts';
import { playoutBench } from './playout/playout.ts';
import { signallingBench } from './signalling/signalling.ts';
import { strangersBench } from './strangers/strangers.ts';
import { formatTable } from './table.ts';

const BENCHES: Readonly<Record<string, Bench>> = {
  accept: acceptBench,
  dial: dialBench,
  pace: paceBench,
  'first-audio': firstAudioBench,
  drain: drainBench,
  ingest: ingestBench,
  packet: packetBench,
  parse: parseBench,
  playout: playoutBench,
  signalling: signallingBench,
  strangers: strangersBench,
};

const listBenches = (): string => {
  const lines = Object.entries(BENCHES).map(([name, { summary, options = [] }]) => {
    const flags = options.map((option) => ` [--${option} …]`).join('');
    return `  ${name.padEnd(12)}${summary}${flags}`;
  });
  return ['usage: npm run bench -- NAME [--json FILE]', ...lines].join('\n');
};

const runBench = async (bench: Bench, options: BenchOptions): Promise<void> => {
  const machine = describeMachine();
  console.log(machineLine(machine));
  const { rows, notes } = await bench.run(options);
  console.log(`\n${formatTable(rows)}\n\n${notes.join('\n')}`);
  const { json } = options;
  if (json !== undefined) writeFileSync(json, `${JSON.stringify({ machine, rows, notes }, null, 2)}\n`);
};

/** Reads `NAME` and the options that this bench has; throws for others. */
const readOptions = (args: readonly string[], { options = [] }: Bench): BenchOptions => {
  const known = Object.fromEntries(['json', ...options].map((name) => [name, { type: 'string' as const }]));
  return parseArgs({ args: [...args], options: known }).values;
};

const main = async ([name, ...args]: readonly string[]): Promise<number> => {
  if (name === undefined) {
    console.log(listBenches());
    return 0;
  }
  const bench = Object.hasOwn(BENCHES, name) ? BENCHES[name] : undefined;
  if (bench === undefined) {
    console.error(listBenches());
    return 2;
  }
  await runBench(bench, readOptions(args, bench));
  return 0;
};

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
