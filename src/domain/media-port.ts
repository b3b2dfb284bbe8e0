import type { Codec } from './codec.ts';
import type { ClipVersion, IngestedAudio, Media, Processing, Renditions } from './media.ts';
import type { Listing, Page } from './page.ts';

export interface MediaViews {
  findMedia(id: string): Promise<Media | null>;
  listMedia(page: Page, applicationId?: string): Promise<Listing<Media>>;
  /** The clips of a media that are still there, newest first. */
  listClips(mediaId: string, limit: number): Promise<readonly ClipVersion[]>;
  isMediaOwned(mediaId: string, applicationId: string | null): Promise<boolean>;
  /**
   * Current clips of those of `mediaIds` that hold one; with `applicationId`, of those associated with it only.
   * One query whatever the number of ids.
   */
  findPlayable(mediaIds: readonly string[], applicationId: string | null): Promise<ReadonlyMap<string, PlayableClip>>;
  /** Null if there is none; throws an Error if it is not as it was stored. */
  findRendition(clipId: string, codec: Codec): Promise<Uint8Array | null>;
  /** Clips made before there were renditions for every codec, the newest first. */
  findIncompleteClips(): Promise<readonly IncompleteClip[]>;
  /** The uploaded octets, in parts of at most 1 MiB, in order. */
  findOriginalPart(clipId: string, part: number): Promise<Uint8Array | null>;
}

export interface PlayableClip {
  readonly clipId: string;
  readonly frameCount: number;
}

export interface IncompleteClip {
  readonly id: string;
  readonly frameCount: number;
}

export interface NewMedia {
  readonly id: string | null;
  readonly name: string;
  readonly applicationIds: readonly string[];
  /** Left out, `DEFAULT_PROCESSING`. */
  readonly processing?: Processing;
}

export interface NewClip {
  readonly id: string;
  readonly mediaId: string;
  readonly digest: string;
  readonly originalBytes: number;
  readonly audio: IngestedAudio;
}

export interface MediaVerbs {
  createMedia(media: NewMedia): Promise<string>;
  /** Throws `in_use` while it is a default greeting. */
  deleteMedia(id: string): Promise<boolean>;
  associateMedia(mediaId: string, applicationId: string): Promise<boolean>;
  dissociateMedia(mediaId: string, applicationId: string): Promise<boolean>;

  /** Keeps a part of an upload (at most 1 MiB) before its clip exists; it is dropped if this node is taken over. */
  stageOriginal(clipId: string, part: number, octets: Uint8Array): Promise<void>;
  /** Drops the parts of an upload that came to nothing; those of a clip stay. */
  dropStaged(clipId: string): Promise<void>;
  /** Commits the clip and makes it the current one of its media. Throws `not_found` if the media is gone. */
  insertClip(clip: NewClip): Promise<void>;
  /** Replaces the renditions of a clip by a whole set; nothing if the clip is gone. */
  completeClip(clipId: string, renditions: Renditions): Promise<void>;
  /**
   * Drops up to `limit` clips that were replaced a minute ago or more and that no unfinished blast is going to play;
   * how many. While very many calls wait it drops none.
   */
  dropReplacedClips(limit: number): Promise<number>;
}
