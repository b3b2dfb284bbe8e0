import { expect, it } from 'vitest';
import { renditionsOf } from '../../test/support/renditions.ts';
import { NO_PROCESSING, type Processing, type Renditions } from '../domain/media.ts';
import type { Log } from '../domain/ports.ts';
import type { Store, Transaction, Views } from '../domain/store-port.ts';
import { startCompletingClips } from './complete-clips.ts';
import type { ScratchFile } from './scratch-file.ts';

/** A store of clips of two frames, each with an original of two parts. */
const createWorld = (clipIds: readonly string[]) => {
  const completed = new Map<string, Renditions>();
  const seen: { path: string; octets: number[]; processing: Processing }[] = [];
  const warnings: object[] = [];
  const open = new Set<string>();
  const written: number[] = [];
  const views = {
    findIncompleteClips: async () => clipIds.map((id) => ({ id, frameCount: 2 })),
    findOriginalPart: async (_: string, part: number) => (part < 2 ? Uint8Array.of(part + 1) : null),
  } as unknown as Views;
  const tx = {
    completeClip: async (id: string, renditions: Renditions) => void completed.set(id, renditions),
  } as unknown as Transaction;
  const store = {
    view: (work: (v: Views) => unknown) => work(views),
    transact: (work: (t: Transaction) => unknown) => work(tx),
  } as unknown as Store;
  const openScratchFile = async () => {
    const path = `file ${open.size + seen.length}`;
    open.add(path);
    written.length = 0;
    const remove = async () => void open.delete(path);
    return {
      path,
      remove,
      append: async (octets: Uint8Array) => void written.push(...octets),
    } as unknown as ScratchFile;
  };
  const log = { info: () => {}, warn: (fields: object) => void warnings.push(fields) } as unknown as Log;
  return { completed, seen, warnings, open, written, options: { store, openScratchFile, log } };
};

it('makes the renditions of each older clip out of its original, and goes on after one that cannot be made', async () => {
  const world = createWorld(['a', 'b', 'c', 'd']);
  const frames = [2, 3, null, 2];
  const ingest = async (path: string, _: unknown, processing: Processing) => {
    world.seen.push({ path, octets: [...world.written], processing });
    const frameCount = frames[world.seen.length - 1];
    if (frameCount == null) throw new Error('not audio any more');
    return { frameCount, type: 'audio/wav', loudness: null, renditions: renditionsOf(frameCount, world.seen.length) };
  };
  const stop = startCompletingClips({ ...world.options, ingest });
  while (world.seen.length < 4) await new Promise(setImmediate);
  await stop();
  expect([...world.completed]).toEqual([
    ['a', renditionsOf(2, 1)],
    ['d', renditionsOf(2, 4)],
  ]);
  expect(world.warnings).toMatchObject([{ clipId: 'b' }, { clipId: 'c' }]);
  expect(world.seen[0]).toMatchObject({ octets: [1, 2], processing: NO_PROCESSING });
  expect(world.open.size).toBe(0);
});

it('stops after the clip in hand', async () => {
  const world = createWorld(['a', 'b']);
  const ingest = async (path: string) => {
    world.seen.push({ path, octets: [], processing: NO_PROCESSING });
    await Promise.resolve();
    return { frameCount: 2, type: 'audio/wav', loudness: null, renditions: renditionsOf(2, 0) };
  };
  const stop = startCompletingClips({ ...world.options, ingest });
  await stop();
  expect(world.completed.size).toBeLessThanOrEqual(1);
});
