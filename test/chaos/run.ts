// `npm run chaos -- [--kills 500] [--database sqlite|postgres] [--seed 6] [--blasts-per-second 10] [--directory DIR]`
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../support/postgres-server.ts';
import { openDialogs } from './carrier-event.ts';
import { CRASH_POINTS } from './crash-store.ts';
import type { Evidence } from './evidence.ts';
import { violationsOf } from './invariants.ts';
import { dieAtEachPoint, killAtRandom } from './kills.ts';
import { startLoad } from './load.ts';
import { openSite, type Site } from './site.ts';
import { startTrio } from './trio.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    database: { type: 'string', default: 'sqlite' },
    seed: { type: 'string', default: '6' },
    'blasts-per-second': { type: 'string', default: '10' },
    directory: { type: 'string' },
  },
});
const directory = values.directory ?? mkdtempSync(join(tmpdir(), 'ringcast-chaos-'));
mkdirSync(directory, { recursive: true });
const startedAtMs = performance.now();
const note = (line: string): void =>
  console.log(`${((performance.now() - startedAtMs) / 1000).toFixed(1).padStart(7)} s  ${line}`);

const figuresOf = ({ posts, uploads, carrier, record }: Evidence): string => {
  const outcomes = Object.groupBy(record.calls, ({ outcome }) => outcome ?? 'none');
  const shares = Object.entries(outcomes).map(([outcome, calls]) => `${calls?.length} ${outcome}`);
  const dialogs = carrier.filter(({ type }) => type === 'invite').length;
  return `${posts.length} answers 202, ${record.calls.length} calls (${shares.join(', ')}), ${record.attempts.length} attempts, ${dialogs} dialogs at the carrier, ${openDialogs(carrier).length} of them left to its own timers, ${uploads.length} grants used`;
};

const PAUSE_MS = 60_000;

/** One disaster after another; then the load ends, and what is left is done. */
const inTurn = async (site: Site, databaseUrl: string, finish: () => Promise<Evidence>): Promise<Evidence> => {
  const trio = await startTrio(site, databaseUrl, note);
  try {
    for (const disaster of [trio.kill, trio.blink, () => trio.pause(PAUSE_MS), trio.cutOff]) {
      await disaster();
      await site.allStand();
    }
    return await finish();
  } finally {
    await trio.close();
  }
};

const chaos = async (databaseUrl: string | null): Promise<number> => {
  const site = await openSite({ directory, databaseUrl, seed: Number(values.seed) });
  try {
    const slots = databaseUrl === null ? [0] : [0, 1, 2];
    const load = startLoad(site.clients, Number(values['blasts-per-second']));
    await killAtRandom(site, slots, Number(values.kills), note);
    await dieAtEachPoint(site, slots, CRASH_POINTS, note);
    const finish = async (): Promise<Evidence> => {
      await load.stop();
      note('settling');
      return site.settle();
    };
    if (databaseUrl === null) await site.start(0);
    const evidence = databaseUrl === null ? await finish() : await inTurn(site, databaseUrl, finish);
    writeFileSync(join(directory, 'evidence.json'), JSON.stringify(evidence));
    const violations = violationsOf(evidence);
    note(figuresOf(evidence));
    for (const violation of violations) console.log(violation);
    note(`${violations.length} violations; the evidence is in ${directory}`);
    return violations.length;
  } finally {
    await site.close();
  }
};

if (values.database === 'postgres') {
  const server = await startPostgres([]);
  process.exitCode = Math.min(1, await chaos(server.url).finally(() => server.stop()));
} else process.exitCode = Math.min(1, await chaos(null));
