import type { PlaylistItem } from '../domain/blast.ts';
import type { ClipAudio } from '../domain/call.ts';
import { CODECS, type Codec } from '../domain/codec.ts';
import type { BuiltInGreeting } from '../domain/ports.ts';
import type { Store } from '../domain/store-port.ts';

type Frames = Omit<ClipAudio, 'mediaId'>;

export interface ClipCache {
  /** The clip in shared memory. Throws if the store does not hold it. */
  load(item: PlaylistItem): Promise<ClipAudio>;
}

const BUILT_IN = 'built-in-greeting';

/**
 * Clips ready to be sent, shared by all calls that play them. Loaded once however many calls ask at once; the least
 * recently used go when they hold more than `maxBytes` (a call in progress keeps those it plays).
 */
export const createClipCache = (options: { store: Store; greeting: BuiltInGreeting; maxBytes: number }): ClipCache => {
  const { store, greeting, maxBytes } = options;
  const clips = new Map<string, Promise<Frames>>();
  let bytes = 0;

  const forget = (key: string, frames: Frames): void => {
    if (clips.delete(key)) bytes -= size(frames);
  };

  const shrink = async (newest: string): Promise<void> => {
    for (const [key, loading] of clips) {
      if (bytes <= maxBytes) return;
      if (key === newest) continue;
      const frames = await loading.catch(() => null); // one that fails goes by itself, see `loadOnce`
      if (frames) forget(key, frames);
    }
  };

  const fetchClip = async (clipId: string, frameCount: number): Promise<Frames> => {
    const frames = await readClip(store, clipId, frameCount);
    bytes += size(frames);
    return frames;
  };

  const loadOnce = (clipId: string, frameCount: number): Promise<Frames> => {
    const known = clips.get(clipId);
    clips.delete(clipId);
    const loading = known ?? fetchClip(clipId, frameCount);
    clips.set(clipId, loading);
    if (!known) {
      loading.then(
        () => shrink(clipId),
        () => clips.delete(clipId),
      );
    }
    return loading;
  };

  const builtIn: Frames = { key: BUILT_IN, frameCount: greeting.frameCount, renditions: share(greeting.renditions) };
  return {
    async load(item) {
      const frames = item.clipId === null ? builtIn : await loadOnce(item.clipId, item.frameCount);
      return { ...frames, mediaId: item.mediaId };
    },
  };
};

const readClip = async (store: Store, clipId: string, frameCount: number): Promise<Frames> => {
  const read = async (codec: Codec): Promise<[Codec, Uint8Array]> => {
    const octets = await store.view((views) => views.findRendition(clipId, codec));
    if (!octets) throw new Error(`clip ${clipId} has no ${codec} rendition`);
    return [codec, octets];
  };
  const octets = Object.fromEntries(await Promise.all(CODECS.map(read))) as Record<Codec, Uint8Array>;
  return { key: clipId, frameCount, renditions: share(octets) };
};

const share = (octets: Readonly<Record<Codec, Uint8Array>>): Record<Codec, SharedArrayBuffer> => ({
  opus: shared(octets.opus),
  G722: shared(octets.G722),
  PCMU: shared(octets.PCMU),
  PCMA: shared(octets.PCMA),
});

const shared = (octets: Uint8Array): SharedArrayBuffer => {
  const buffer = new SharedArrayBuffer(octets.byteLength);
  new Uint8Array(buffer).set(octets);
  return buffer;
};

const size = (frames: Frames): number =>
  Object.values(frames.renditions).reduce((sum, rendition) => sum + rendition.byteLength, 0);
