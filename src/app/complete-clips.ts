import { NO_PROCESSING, type Renditions } from '../domain/media.ts';
import type { Ingest, Log } from '../domain/ports.ts';
import type { IncompleteClip, Store } from '../domain/store-port.ts';
import type { OpenScratchFile } from './scratch-file.ts';

export interface CompleteClipsOptions {
  readonly store: Store;
  readonly ingest: Ingest;
  readonly openScratchFile: OpenScratchFile;
  readonly log: Log;
}

/** A clip that was taken is never refused for its length, whatever is allowed now. */
const ANY_SECONDS = 24 * 3600;

/**
 * Makes the renditions that clips of an older Ringcast lack, out of their originals, one clip after another. The
 * answer stops it after the clip in hand and resolves then.
 */
export const startCompletingClips = (options: CompleteClipsOptions): (() => Promise<void>) => {
  let stopped = false;
  const completeAll = async (): Promise<void> => {
    for (const clip of await options.store.view((views) => views.findIncompleteClips())) {
      if (stopped) return;
      await completeOrTell(options, clip);
    }
  };
  const done = completeAll().catch((error: unknown) => {
    options.log.warn({ err: error }, 'older clips not looked for, next try at the next start');
  });
  return () => {
    stopped = true;
    return done;
  };
};

const completeOrTell = async (options: CompleteClipsOptions, clip: IncompleteClip): Promise<void> => {
  try {
    const renditions = await remake(options, clip);
    await options.store.transact((tx) => tx.completeClip(clip.id, renditions));
    options.log.info({ clipId: clip.id }, 'an older clip got its renditions for every codec');
  } catch (error) {
    options.log.warn({ err: error, clipId: clip.id }, 'an older clip stays with its G.711 renditions alone');
  }
};

/** As it sounds in G.711 already: neither levelled nor trimmed, so that its frames are as many as blasts have pinned. */
const remake = async (options: CompleteClipsOptions, clip: IncompleteClip): Promise<Renditions> => {
  const file = await options.openScratchFile();
  try {
    for (let part = 0; ; part += 1) {
      const octets = await options.store.view((views) => views.findOriginalPart(clip.id, part));
      if (octets === null) break;
      await file.append(octets);
    }
    const { frameCount, renditions } = await options.ingest(file.path, { maxSeconds: ANY_SECONDS }, NO_PROCESSING);
    if (frameCount === clip.frameCount) return renditions;
    throw new Error(`its original has ${frameCount} frames now, not ${clip.frameCount}`);
  } finally {
    await file.remove();
  }
};
