import { expect, it } from 'vitest';
import { createGate } from './gate.ts';

/** Jobs that note their start and end when told to. */
const startJobs = (count: number, gate: ReturnType<typeof createGate>) => {
  const started: number[] = [];
  const finish: (() => void)[] = [];
  const jobs = Array.from({ length: count }, (_, i) =>
    gate(() => {
      started.push(i);
      return new Promise<number>((resolve) => {
        finish[i] = () => resolve(i);
      });
    }),
  );
  return { started, finish, jobs };
};

it('runs two at once, the others in order, and refuses what exceeds the queue', async () => {
  const { started, finish, jobs } = startJobs(5, createGate({ running: 2, waiting: 2 }));
  await expect(jobs[4]).rejects.toMatchObject({ code: 'ingest_busy' });
  expect(started).toEqual([0, 1]);
  finish[1]?.();
  await expect(jobs[1]).resolves.toBe(1);
  expect(started).toEqual([0, 1, 2]);
  finish[0]?.();
  await jobs[0];
  expect(started).toEqual([0, 1, 2, 3]);
});

it('gives the place of a failed job to the next', async () => {
  const gate = createGate({ running: 1, waiting: 1 });
  const failing = gate(() => Promise.reject(new Error('broken')));
  const next = gate(async () => 'ran');
  await expect(failing).rejects.toThrow('broken');
  await expect(next).resolves.toBe('ran');
  await expect(gate(async () => 'again')).resolves.toBe('again');
});
