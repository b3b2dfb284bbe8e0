// `npm run bench -- NAME [--json FILE]`
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { acceptBench } from './accept/accept.ts';
import type { Bench } from './bench.ts';
import { ingestBench } from './ingest/ingest.ts';
import { describeMachine, machineLine } from './machine.ts';
import { parseBench } from './parse/parse.ts';
import { strangersBench } from './strangers/strangers.ts';
import { formatTable } from './table.ts';

const BENCHES: Readonly<Record<string, Bench>> = {
  accept: acceptBench,
  ingest: ingestBench,
  parse: parseBench,
  strangers: strangersBench,
};

const listBenches = (): string => {
  const lines = Object.entries(BENCHES).map(([name, { summary }]) => `  ${name.padEnd(12)}${summary}`);
  return ['usage: npm run bench -- NAME [--json FILE]', ...lines].join('\n');
};

const runBench = async (bench: Bench, jsonFile: string | undefined): Promise<void> => {
  const machine = describeMachine();
  console.log(machineLine(machine));
  const { rows, notes } = await bench.run();
  console.log(`\n${formatTable(rows)}\n\n${notes.join('\n')}`);
  if (jsonFile !== undefined) writeFileSync(jsonFile, `${JSON.stringify({ machine, rows, notes }, null, 2)}\n`);
};

const main = async (): Promise<number> => {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { json: { type: 'string' } } });
  const [name, ...more] = positionals;
  if (name === undefined) {
    console.log(listBenches());
    return 0;
  }
  const bench = Object.hasOwn(BENCHES, name) ? BENCHES[name] : undefined;
  if (bench === undefined || more.length > 0) {
    console.error(listBenches());
    return 2;
  }
  await runBench(bench, values.json);
  return 0;
};

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
