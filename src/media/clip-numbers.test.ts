import { expect, it } from 'vitest';
import { makeClip } from '../../test/support/media.ts';
import { ClipNumbers } from './clip-numbers.ts';
import type { ThreadOrder } from './messages.ts';

it('sends a clip to the thread once for all the calls that play it, and takes it back after the last', () => {
  const posted: string[] = [];
  const numbers = new ClipNumbers((order: ThreadOrder) => posted.push(order.type));
  const clip = makeClip(1, 2);
  // As the clip cache gives it: the memory is shared, the rest is of each call.
  const calls = ['first', 'second', 'third'].map((mediaId) => [{ ...clip, mediaId }]);
  const held = calls.map((clips) => numbers.hold(clips));
  expect(new Set(held.flat()).size).toBe(1);
  expect(posted).toEqual(['load']);
  for (const clips of calls.slice(1)) numbers.release(clips);
  expect(posted).toEqual(['load']);
  numbers.release(calls[0] ?? []);
  expect(posted).toEqual(['load', 'unload']);
});

it('tells clips apart, and counts one that comes twice in a playlist twice', () => {
  const posted: string[] = [];
  const numbers = new ClipNumbers((order: ThreadOrder) => posted.push(order.type));
  const [one, other] = [makeClip(1, 2), makeClip(2, 2)];
  const [first, second, again] = numbers.hold([one, other, { ...one }]);
  expect(first).not.toBe(second);
  expect(again).toBe(first);
  numbers.release([{ ...one }]);
  expect(posted).toEqual(['load', 'load']);
  numbers.release([one, other]);
  expect(posted).toEqual(['load', 'load', 'unload', 'unload']);
});
