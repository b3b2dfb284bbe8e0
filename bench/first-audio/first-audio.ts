import { join } from 'node:path';
import type { Bench, BenchRow } from '../bench.ts';
import { runChild, startChild } from '../support/child.ts';
import { startCapture } from './capture.ts';
import { type CallerOrder, firstAudioMs, type PhonePorts } from './figures.ts';

const IN_PROGRESS = [0, 1000];
const MEASURED = 1000;
const PER_SECOND = 50;
const AIM_P99_MS = 20;

const script = (name: string): string => join(import.meta.dirname, name);

/** From the ACK to the first packet of voice, call by call, in ascending order. */
const measure = async (inProgress: number): Promise<readonly number[]> => {
  const phone = await startChild(script('phone.ts'), []);
  const ports = phone.ready as PhonePorts;
  const stopCapture = await startCapture(ports);
  const order: CallerOrder = { phonePort: ports.sip, inProgress, measured: MEASURED, perSecond: PER_SECOND };
  await runChild(script('caller.ts'), [JSON.stringify(order)]);
  const delaysMs = firstAudioMs(await stopCapture());
  await phone.kill();
  const known = delaysMs.filter((delayMs) => delayMs !== null);
  if (known.length < MEASURED) throw new Error(`The capture holds ${known.length} of ${MEASURED} calls whole.`);
  return known.toSorted((a, b) => a - b);
};

const rowOf = (inProgress: number, delaysMs: readonly number[]): BenchRow => {
  const at = (share: number): number => Number((delaysMs[Math.ceil(share * delaysMs.length) - 1] ?? 0).toFixed(2));
  return {
    'in progress': inProgress,
    'calls measured': delaysMs.length,
    'p50 ms': at(0.5),
    'p95 ms': at(0.95),
    'p99 ms': at(0.99),
    'max ms': at(1),
  };
};

const run: Bench['run'] = async () => {
  const rows: BenchRow[] = [];
  for (const inProgress of IN_PROGRESS) rows.push(rowOf(inProgress, await measure(inProgress)));
  return {
    rows,
    notes: [
      `From a capture on loopback: each call's ACK to its first packet of voice. Aim: p99 < ${AIM_P99_MS} ms.`,
      `Measured calls begin at ${PER_SECOND} a second and play for a second beside those in progress.`,
    ],
  };
};

export const firstAudioBench: Bench = {
  summary: 'from the ACK to the first packet of voice, from a capture, with no and with 1,000 calls in progress',
  run,
};
