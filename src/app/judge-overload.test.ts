import { expect, it } from 'vitest';
import type { Backlog } from '../domain/backlog.ts';
import { judgeOverload } from './judge-overload.ts';

const application = { id: 'app', priority: 1, dialBySeconds: 3600 };

/** Judges a blast of 10 calls at so many calls a minute of this node, and of others. */
const judge = async (
  callsPerMinute: number | null,
  waiting: number,
  backlog: Backlog,
  elsewhere: readonly (number | null)[] = [],
) => {
  const asked: number[] = [];
  const views = {
    listPacesElsewhere: async () => elsewhere,
    findBacklog: async (_: unknown, atMost: number) => {
      asked.push(atMost);
      return { ...backlog, ahead: Math.min(backlog.ahead, atMost) };
    },
  };
  const blast = { application, trunkIds: [], calls: 10, waiting };
  const verdict = await judgeOverload(views, blast, { callsPerMinuteOverloaded: () => callsPerMinute }).then(
    () => 'passes',
    (error: Error) => error.message,
  );
  return { verdict, asked };
};

it('asks nothing while nothing is overloaded, or all that waits is dialled in time', async () => {
  const full = { ahead: 90_000, share: 1 };
  expect(await judge(null, 90_000, full)).toEqual({ verdict: 'passes', asked: [] });
  expect(await judge(1000, 59_990, full)).toEqual({ verdict: 'passes', asked: [] });
});

it('tells the figures', async () => {
  const { verdict, asked } = await judge(1000, 90_000, { ahead: 40_000, share: 0.5 });
  expect(verdict).toContain('it dialled 1000 calls in the last minute, and 80020 would be dialled until the last of');
  expect(asked).toEqual([60_001]);
  expect((await judge(1000, 90_000, { ahead: 20_000, share: 0.5 })).verdict).toBe('passes');
});

it('takes a queue that is too long to be counted for all that wait', async () => {
  const { verdict, asked } = await judge(10_000, 700_000, { ahead: 300_000, share: 1 });
  expect(asked).toEqual([100_000]);
  expect(verdict).toContain(' 700010 would be dialled ');
});

it('refuses by what all nodes dial, and nobody while one of them has room', async () => {
  const full = { ahead: 90_000, share: 1 };
  expect((await judge(100, 90_000, full, [200, 0])).verdict).toContain('it dialled 300 calls in the last minute');
  expect((await judge(0, 90_000, full, [0])).verdict).toContain('it dialled no call in the last minute');
  expect((await judge(100, 90_000, full, [1400, 1])).verdict).toBe('passes');
  for (const elsewhere of [[null], [0, null, 0]])
    expect(await judge(0, 90_000, full, elsewhere)).toEqual({ verdict: 'passes', asked: [] });
});
