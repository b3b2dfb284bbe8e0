import { AppError } from '../domain/app-error.ts';
import type { Application } from '../domain/application.ts';
import type { BlastRequest, PlaylistItem } from '../domain/blast.ts';
import type { BlastQuestions } from './asked-once.ts';

/**
 * What a blast plays, each clip pinned as it is now: the greeting first, then the media in order, repeats included.
 * Throws `no_such_media` if any media or the named greeting is unknown, foreign or empty.
 */
export const playlistOf = async (
  views: Pick<BlastQuestions, 'findSettings' | 'findPlayable'>,
  request: Pick<BlastRequest, 'mediaIds' | 'greetingId'>,
  application: Pick<Application, 'id' | 'defaultGreetingId'>,
  builtInFrameCount: number,
): Promise<readonly PlaylistItem[]> => {
  const { greetingId, mediaIds } = request;
  const named = await pinned(views, greetingId === null ? mediaIds : [greetingId, ...mediaIds], application.id);
  if (greetingId !== null) return named;
  return [await defaultGreeting(views, application, builtInFrameCount), ...named];
};

/** The application's default greeting, else the one of the settings, else the built-in one. */
const defaultGreeting = async (
  views: Pick<BlastQuestions, 'findSettings' | 'findPlayable'>,
  application: Pick<Application, 'defaultGreetingId'>,
  builtInFrameCount: number,
): Promise<PlaylistItem> => {
  const mediaId = application.defaultGreetingId ?? (await views.findSettings()).defaultGreetingId;
  if (mediaId === null) return { mediaId: null, clipId: null, frameCount: builtInFrameCount };
  // A default greeting plays for applications that it is not associated with too.
  const [item] = await pinned(views, [mediaId], null);
  return item as PlaylistItem;
};

const pinned = async (
  views: Pick<BlastQuestions, 'findSettings' | 'findPlayable'>,
  mediaIds: readonly string[],
  applicationId: string | null,
): Promise<readonly PlaylistItem[]> => {
  const playable = await views.findPlayable([...new Set(mediaIds)], applicationId);
  return mediaIds.map((mediaId) => {
    const clip = playable.get(mediaId);
    if (clip) return { mediaId, clipId: clip.clipId, frameCount: clip.frameCount };
    throw new AppError(
      'no_such_media',
      'A media id or the greeting id does not exist, holds no clip, or is not associated with the application.',
    );
  });
};
