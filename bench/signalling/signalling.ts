import { join } from 'node:path';
import type { Bench, BenchRow } from '../bench.ts';
import { runChild } from '../support/child.ts';
import type { CallerOrder, CallFigures } from './caller-order.ts';
import { callWithSipp, startPhone } from './sipp.ts';

const ROUNDS = 3;
const CALLS = 5_000;
const WARM_UP_CALLS = 2_000;
const CALLS_AT_ONCE = 64;
const AIM_PER_SECOND = 1_000;

interface Caller {
  readonly name: string;
  call(phonePort: number): Promise<CallFigures>;
}

const ringcast =
  (media: CallerOrder['media']): Caller['call'] =>
  async (phonePort) => {
    const load = { callsAtOnce: CALLS_AT_ONCE, warmUpCalls: WARM_UP_CALLS, calls: CALLS };
    const order: CallerOrder = { phonePort, media, ...load };
    return (await runChild(join(import.meta.dirname, 'caller.ts'), [JSON.stringify(order)])) as CallFigures;
  };

const CALLERS: readonly Caller[] = [
  { name: 'ringcast, signalling alone', call: ringcast('none') },
  { name: 'ringcast, RTP ports and media thread', call: ringcast('thread') },
  { name: 'sipp', call: (phonePort) => callWithSipp(phonePort, CALLS, CALLS_AT_ONCE) },
];

const callOnce = async ({ call }: Caller): Promise<CallFigures> => {
  const phone = await startPhone();
  try {
    return await call(phone.port);
  } finally {
    await phone.end();
  }
};

/** Rounds take turns, so that what else the machine does strikes all callers alike. */
const measure = async (): Promise<readonly (readonly CallFigures[])[]> => {
  const all = CALLERS.map((): CallFigures[] => []);
  for (let round = 0; round < ROUNDS; round++)
    for (const [index, caller] of CALLERS.entries()) all[index]?.push(await callOnce(caller));
  return all;
};

const median = (figures: readonly number[]): number =>
  figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0;

const rateOf = (rounds: readonly CallFigures[]): number => median(rounds.map(({ calls, seconds }) => calls / seconds));
const cpuMsOf = (rounds: readonly CallFigures[]): number =>
  median(rounds.map(({ calls, cpuSeconds }) => (1_000 * cpuSeconds) / calls));

const rowOf = (name: string, own: readonly CallFigures[], baseline: readonly CallFigures[]): BenchRow => ({
  caller: name,
  'calls/s': Math.round(rateOf(own)),
  'CPU ms/call': Number(cpuMsOf(own).toFixed(3)),
  'calls/CPU s': Math.round(1_000 / cpuMsOf(own)),
  'CPU of sipp': `${(cpuMsOf(own) / cpuMsOf(baseline)).toFixed(1)} times`,
});

const run: Bench['run'] = async () => {
  const measured = await measure();
  const baseline = measured.at(-1) ?? [];
  const rows = CALLERS.map(({ name }, index) => rowOf(name, measured[index] ?? [], baseline));
  return {
    rows,
    notes: [
      `Every call completed: INVITE, 180, 200, ACK, BYE, 200, with sipp as the phone; ${CALLS_AT_ONCE} at once.`,
      `Medians of ${ROUNDS} rounds of ${CALLS} calls, callers in turn; Ringcast's after ${WARM_UP_CALLS} to warm up.`,
      `CPU of the caller alone, all its threads. Aim: ${AIM_PER_SECOND} calls a second on one core.`,
    ],
  };
};

export const signallingBench: Bench = {
  summary: 'complete calls a second and their CPU against sipp as the phone, beside sipp as the caller',
  run,
};
