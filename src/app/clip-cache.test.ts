import { describe, expect, it } from 'vitest';
import { renditionsOf } from '../../test/support/renditions.ts';
import type { Store, Views } from '../domain/store-port.ts';
import { createClipCache } from './clip-cache.ts';

const GREETING = { frameCount: 1, renditions: renditionsOf(1, 0) };
/** All renditions of a clip of one frame, as the shelf has them. */
const CLIP_BYTES = 4 * 160;

/** A store that holds every clip, and what was read from it; clips called `missing…` it has not, and tells late. */
const createShelf = () => {
  const reads: string[] = [];
  const missing = Promise.withResolvers<null>();
  const findRendition = (clipId: string): Promise<Uint8Array | null> => {
    reads.push(clipId);
    return clipId.startsWith('missing') ? missing.promise : Promise.resolve(new Uint8Array(160));
  };
  const store = { view: (work: (views: Views) => unknown) => work({ findRendition } as unknown as Views) } as Store;
  const tellMissing = () => missing.resolve(null);
  const timesRead = (clipId: string): number => reads.filter((read) => read === clipId).length / 4;
  return { store, tellMissing, timesRead };
};

const item = (clipId: string) => ({ mediaId: '1', clipId, frameCount: 1 });
const settle = () => new Promise(setImmediate);

describe('the clip cache', () => {
  it('reads a clip once, and again only after it made room', async () => {
    const shelf = createShelf();
    const cache = createClipCache({ store: shelf.store, greeting: GREETING, maxBytes: 2 * CLIP_BYTES });
    await Promise.all([cache.load(item('a')), cache.load(item('a'))]);
    await cache.load(item('b'));
    await cache.load(item('a'));
    await cache.load(item('c'));
    await settle();
    await cache.load(item('a'));
    expect(shelf.timesRead('a')).toBe(1);
    await cache.load(item('b'));
    expect(shelf.timesRead('b')).toBe(2);
  });

  it('keeps its room when a clip is missing while it makes some', async () => {
    const shelf = createShelf();
    const cache = createClipCache({ store: shelf.store, greeting: GREETING, maxBytes: 2 * CLIP_BYTES });
    const lost = expect(cache.load(item('missing'))).rejects.toThrow('clip missing has no opus rendition');
    for (const clipId of ['a', 'b', 'c']) await cache.load(item(clipId));
    shelf.tellMissing();
    await lost;
    await settle();
    await cache.load(item('b'));
    await cache.load(item('c'));
    expect([shelf.timesRead('b'), shelf.timesRead('c')]).toEqual([1, 1]);
  });
});
