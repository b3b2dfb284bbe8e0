import { AppError } from './app-error.ts';
import type { Codec } from './codec.ts';

/** A media id: a slot that holds at most one current clip. */
export interface Media {
  readonly id: string;
  readonly name: string;
  readonly applicationIds: readonly string[];
  /** What the next clip is made of its file by; a clip that is there stays as it was made. */
  readonly processing: Processing;
  readonly clip: Clip | null;
  readonly createdAt: number;
}

/** What ingest does to the sound of a file beyond decoding it. */
export interface Processing {
  /** Brought to -20 LUFS, its true peak at most -2 dBFS. */
  readonly level: boolean;
  /** Leading and trailing silence beyond 300 ms is cut off. */
  readonly trim: boolean;
  /** Nothing is kept below 300 and above 3,400 Hz. */
  readonly telephoneBand: boolean;
}

export const DEFAULT_PROCESSING: Processing = { level: true, trim: true, telephoneBand: false };
/** The sound as it was sent. */
export const NO_PROCESSING: Processing = { level: false, trim: false, telephoneBand: false };

/** How loud a sound is in the telephone's band, before and after it was levelled. */
export interface Loudness {
  /** Of the file that was uploaded: integrated loudness by EBU R 128. */
  readonly sourceLufs: number;
  /** Of the clip. */
  readonly lufs: number;
  /** The clip's true peak (ITU-R BS.1770). */
  readonly truePeakDbfs: number;
}

/** One immutable version of the audio of a media id. */
export interface Clip {
  readonly id: string;
  /** SHA-256 of the octets that were uploaded, in hex. */
  readonly digest: string;
  readonly originalBytes: number;
  readonly originalType: string;
  readonly frameCount: number;
  readonly durationMs: number;
  /** Null for silence, and for clips of an older Ringcast. */
  readonly loudness: Loudness | null;
  readonly createdAt: number;
}

/** A clip among the others of its media. */
export interface ClipVersion extends Clip {
  /** What a blast accepted now plays. */
  readonly isCurrent: boolean;
  readonly renditions: readonly { readonly codec: string; readonly bytes: number }[];
}

/** A clip encoded for one codec: whole 20 ms frames, one after another. */
export type Renditions = Readonly<Record<Codec, Uint8Array>>;

/** What ingest makes of an uploaded file. */
export interface IngestedAudio {
  readonly frameCount: number;
  readonly renditions: Renditions;
  /** Null if there is nothing to hear. */
  readonly loudness: Loudness | null;
  /** Media type that the octets were found to be, such as `audio/mpeg`. */
  readonly type: string;
}

export interface IngestLimits {
  readonly maxSeconds: number;
}

/** So many octets of an upload are looked at as soon as they are there. */
export const HEAD_BYTES = 128 * 1024;

export const tooLong = (maxSeconds: number): AppError =>
  new AppError('upload_too_long', `The recording is longer than the ${maxSeconds} seconds that are allowed.`);
