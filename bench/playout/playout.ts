import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Bench, BenchOptions, BenchReport, BenchRow } from '../bench.ts';
import { runChild } from '../support/child.ts';
import { PLAYERS, type PlayerFigures, type PlayerName, type PlayerOrder } from './player-order.ts';
import type { StreamFigures } from './streams.ts';

const CALLS = '100,500,1000,2000,4000,6000';
const SECONDS = '10';
const USUAL_PLAYERS = 'ringcast,floor,dgram';
const AIM_OF_FLOOR = 1.5;
const AIM_P999_MS = 5;
const AIM_BYTES = 8192;
const AIM_FIRST_MS = 20;

const script = (name: string): string => join(import.meta.dirname, name);

const startSink = async () => {
  const child = spawn(process.execPath, [script('sink.ts')], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => JSON.parse((await lines.next()).value ?? 'null');
  const ports: readonly number[] = await nextLine();
  const end = async (): Promise<StreamFigures> => {
    child.stdin.write('end\n');
    const figures: StreamFigures = await nextLine();
    await exited;
    return figures;
  };
  return { ports, end };
};

interface Played {
  readonly player: PlayerName;
  readonly calls: number;
  readonly played: PlayerFigures;
  readonly seen: StreamFigures;
}

const play = async (player: PlayerName, calls: number, seconds: number): Promise<Played> => {
  console.error(`${new Date().toLocaleTimeString('en-GB')} ${player} plays ${calls} calls for ${seconds} s`);
  const sink = await startSink();
  const order: PlayerOrder = { player, calls, seconds, ports: sink.ports };
  const played = (await runChild(script('player.ts'), [JSON.stringify(order)])) as PlayerFigures;
  return { player, calls, played, seen: await sink.end() };
};

const round = (value: number | null, digits: number): number | string =>
  value === null ? '' : Number(value.toFixed(digits));

const cpuPerPacketUs = ({ played }: Played): number => (1000 * played.cpuMs) / played.packets;

const rowOf = (run: Played, floor?: Played): BenchRow => {
  const { player, calls, played, seen } = run;
  return {
    calls,
    player,
    'packets/s': round((1000 * played.packets) / played.wallMs, 0),
    'of due': `${round((100 * played.packets) / ((calls * played.wallMs) / 20), 1)} %`,
    'core %': round((100 * played.cpuMs) / played.wallMs, 1),
    'core %/call': round((100 * played.cpuMs) / played.wallMs / calls, 4),
    'CPU of floor': floor ? round(cpuPerPacketUs(run) / cpuPerPacketUs(floor), 2) : '',
    'p50 ms': round(played.p50Ms, 1),
    'p99 ms': round(played.p99Ms, 1),
    'p99.9 ms': round(played.p999Ms, 1),
    'max ms': round(played.maxMs, 1),
    'first p99 ms': round(played.firstAudioP99Ms, 1),
    missing: seen.missing,
    'out of order': seen.outOfOrder,
    jumps: seen.jumps,
    'drift ms': round(seen.driftMs, 2),
    'KB/call': round(played.bytesPerCall / 1024, 1),
  };
};

/** Players take turns, so that what else the machine does strikes all alike. */
const measure = async (
  players: readonly PlayerName[],
  calls: number,
  seconds: number,
): Promise<readonly BenchRow[]> => {
  const runs: Played[] = [];
  for (const player of players) runs.push(await play(player, calls, seconds));
  const floor = runs.find(({ player }) => player === 'floor');
  return runs.map((run) => rowOf(run, floor));
};

const isPlayer = (name: string): name is PlayerName => PLAYERS.some((player) => player === name);

const readPlayers = (text: string): readonly PlayerName[] => {
  const names = text.split(',');
  if (names.every(isPlayer)) return names;
  throw new Error(`--players is "${text}": expected some of ${PLAYERS.join(',')}`);
};

const readNumbers = (name: string, text: string): readonly number[] => {
  const numbers = text.split(',').map(Number);
  if (numbers.every((number) => number > 0)) return numbers;
  throw new Error(`--${name} is "${text}": expected numbers above 0, such as 1000,4000`);
};

const run = async (options: BenchOptions): Promise<BenchReport> => {
  const [minutes] = options.minutes === undefined ? [] : readNumbers('minutes', options.minutes);
  const [seconds = 0] = readNumbers('seconds', options.seconds ?? SECONDS);
  const players = readPlayers(options.players ?? (minutes === undefined ? USUAL_PLAYERS : 'ringcast'));
  const rows: BenchRow[] = [];
  for (const calls of readNumbers('calls', options.calls ?? CALLS)) {
    rows.push(...(await measure(players, calls, minutes === undefined ? seconds : minutes * 60)));
  }
  return {
    rows,
    notes: [
      `Aim at 4000 calls: CPU of floor <= ${AIM_OF_FLOOR}, p99.9 < ${AIM_P999_MS} ms, ${AIM_BYTES / 1024} KB a call.`,
      `Aim at 1000 calls: first packet within ${AIM_FIRST_MS} ms of the order to play, 99 of 100.`,
      'CPU is that of the whole process. Lateness is as sent; missing, order and jumps of timestamps as received.',
      'Memory of a process that hardly grew says little: look at the rows with many calls.',
    ],
  };
};

export const playoutBench: Bench = {
  summary: 'calls on one media thread: CPU, lateness, order; beside bare sendto and dgram with timers',
  options: ['calls', 'seconds', 'minutes', 'players'],
  run,
};
