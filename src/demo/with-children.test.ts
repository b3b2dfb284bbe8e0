import { once } from 'node:events';
import { expect, test } from 'vitest';
import type { Child } from './child.ts';
import { withChildren } from './with-children.ts';

const fakeChild = (stopped: string[], name: string): Child => ({
  untilSaid: () => Promise.reject(new Error('not asked')),
  exited: Promise.resolve(),
  stop: async () => void stopped.push(name),
});

test('children are ended when the work is done', async () => {
  const stopped: string[] = [];
  const result = await withChildren(async ({ onChild }) => {
    onChild(fakeChild(stopped, 'server'));
    onChild(fakeChild(stopped, 'phone'));
    return 'done';
  });
  expect(result).toBe('done');
  expect(stopped).toEqual(['server', 'phone']);
});

test('and when it fails', async () => {
  const stopped: string[] = [];
  const work = withChildren(async ({ onChild }) => {
    onChild(fakeChild(stopped, 'server'));
    throw new Error('amiss');
  });
  await expect(work).rejects.toThrow('amiss');
  expect(stopped).toEqual(['server']);
});

test('after the end the signal forbids new children', async () => {
  let signal: AbortSignal | undefined;
  await withChildren(async (nursery) => {
    signal = nursery.signal;
    expect(signal.aborted).toBe(false);
  });
  expect(signal?.aborted).toBe(true);
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s ends the work, once or twice, and its listeners go',
  async (name) => {
    const before = process.listenerCount(name);
    const work = withChildren(async ({ signal }) => {
      const aborted = once(signal, 'abort');
      process.emit(name, name);
      process.emit(name, name);
      await aborted.catch(() => undefined);
      signal.throwIfAborted();
    });
    await expect(work).rejects.toThrow(`ended by ${name}.`);
    expect(process.listenerCount(name)).toBe(before);
  },
);
