import { describe, expect, it } from 'vitest';
import { AppError } from '../domain/app-error.ts';
import { gather } from './gather.ts';

/** Batches as they are run; each ends when the test says so. */
const startGathering = (atOnce = 2) => {
  const batches: { readonly requests: readonly string[]; readonly end: (error?: unknown) => void }[] = [];
  let onRun = (): void => {};
  const run = (requests: readonly string[]): Promise<readonly string[]> => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
    const end = (error?: unknown): void => (error === undefined ? resolve(requests.map(answerTo)) : reject(error));
    batches.push({ requests, end });
    onRun();
    return promise;
  };
  const ask = gather(run, (request) => (request.startsWith('same') ? 'same' : null), atOnce);
  const ran = (count: number) =>
    new Promise<void>((resolve) => {
      onRun = () => batches.length >= count && resolve();
      onRun();
    });
  return { ask, batches, ran };
};

const answerTo = (request: string): string => `${request}!`;

const outcomes = async (asked: readonly Promise<string>[]): Promise<unknown[]> =>
  (await Promise.allSettled(asked)).map((result) => (result.status === 'fulfilled' ? result.value : result.reason));

describe('requests that are gathered', () => {
  it('share a batch if they come in one turn, and each gets its own answer', async () => {
    const { ask, batches, ran } = startGathering();
    const asked = ['a', 'b', 'c'].map(ask);
    await ran(1);
    batches[0]?.end();
    expect(await Promise.all(asked)).toEqual(['a!', 'b!', 'c!']);
    expect(batches).toHaveLength(1);
  });

  it('wait while two batches run, at most 64 to a batch', async () => {
    const { ask, batches, ran } = startGathering();
    const asked = Array.from({ length: 200 }, (_, at) => ask(`${at}`));
    await ran(2);
    batches[1]?.end();
    await ran(3);
    batches[0]?.end();
    await ran(4);
    for (const { end } of batches) end();
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 200 }, (_, at) => `${at}!`));
    expect(batches.map(({ requests }) => requests.length)).toEqual([64, 64, 64, 8]);
  });

  it('wait for the only batch if no two may run at once', async () => {
    const { ask, batches, ran } = startGathering(1);
    const asked = [ask('a')];
    await ran(1);
    asked.push(ask('b'));
    await new Promise(setImmediate);
    asked.push(ask('c'));
    batches[0]?.end();
    await ran(2);
    batches[1]?.end();
    expect(await Promise.all(asked)).toEqual(['a!', 'b!', 'c!']);
    expect(batches.map(({ requests }) => requests)).toEqual([['a'], ['b', 'c']]);
  });

  it('never share a batch with another of their group', async () => {
    const { ask, batches, ran } = startGathering();
    const asked = ['same 1', 'a', 'same 2'].map(ask);
    await ran(2);
    for (const { end } of batches) end();
    await Promise.all(asked);
    expect(batches.map(({ requests }) => requests)).toEqual([['same 1', 'a'], ['same 2']]);
  });

  it('are run alone if their batch failed by the fault of one', async () => {
    const { ask, batches, ran } = startGathering();
    const asked = ['a', 'bad'].map(ask);
    await ran(1);
    batches[0]?.end(new Error('of one'));
    await ran(2);
    batches[1]?.end();
    await ran(3);
    batches[2]?.end(new Error('bad'));
    expect(await outcomes(asked)).toEqual(['a!', new Error('bad')]);
  });

  it('are refused with those that they waited behind if the store fails', async () => {
    const { ask, batches, ran } = startGathering();
    const asked = Array.from({ length: 130 }, (_, at) => ask(`${at}`));
    await ran(2);
    const gone = new AppError('store_unavailable', 'Gone.');
    batches[0]?.end(gone);
    batches[1]?.end();
    const told = await outcomes(asked);
    expect(told.filter((outcome) => outcome === gone)).toHaveLength(64 + 2);
    expect(batches).toHaveLength(2);
  });

  it('are refused when 10,000 wait', async () => {
    const { ask, batches, ran } = startGathering();
    const asked = Array.from({ length: 10_000 }, (_, at) => ask(`${at}`));
    await expect(ask('one more')).rejects.toMatchObject({ code: 'store_unavailable' });
    await ran(2);
    batches[0]?.end(new AppError('store_unavailable', 'Gone.'));
    batches[1]?.end();
    await outcomes(asked);
  });
});
