import type { ClipAudio } from '../domain/call.ts';
import { CODEC_FRAMES, type Codec, FRAME_MS } from '../domain/codec.ts';
import type { Silences } from '../domain/silences.ts';

/** So far into clip number `clip`. */
export interface PlaceInPlaylist {
  readonly clip: number;
  readonly placeMs: number;
}

/**
 * What the media thread plays in a call: its clips, and clips of silence around them. The thread knows no difference, so
 * that packets, numbers and schedule go on through silence as through speech.
 */
export interface Playlist {
  readonly parts: readonly ClipAudio[];
  /** Of what is told of each part, what is of the clips. */
  ofClips<T>(told: readonly T[]): readonly T[];
  /** A place among the parts as one among the clips; silence counts as the end of the clip before it. */
  placeOf(part: PlaceInPlaylist): PlaceInPlaylist;
}

interface Piece {
  readonly audio: ClipAudio;
  readonly isClip: boolean;
}

export const createPlaylist = (clips: readonly ClipAudio[], { leadInMs, gapMs, tailMs }: Silences): Playlist => {
  const tail = clips.length === 0 ? [] : silence(tailMs);
  const pieces: readonly Piece[] = [
    ...clips.flatMap((audio, at) => [...silence(at === 0 ? leadInMs : gapMs), { audio, isClip: true }]),
    ...tail,
  ];
  const isClip = pieces.map((piece) => piece.isClip);
  const clipsBefore = (part: number): number => isClip.slice(0, part).filter(Boolean).length;
  return {
    parts: pieces.map(({ audio }) => audio),
    ofClips: (told) => told.filter((_, part) => isClip[part]),
    placeOf({ clip: part, placeMs }) {
      const before = clipsBefore(part);
      if (isClip[part]) return { clip: before, placeMs };
      const last = clips[before - 1];
      return last ? { clip: before - 1, placeMs: last.frameCount * FRAME_MS } : { clip: 0, placeMs: 0 };
    },
  };
};

const SILENT_FRAMES: Readonly<Record<Codec, Uint8Array>> = {
  // What libopus makes of nothing with the settings of `audio/encode-arguments.ts`, in the frames after the first.
  opus: Buffer.from(
    '7806e379c1245cf52d3ab385bf40d6c9b7eb8129372d2f09958c51cdd8dfbcc114ff2adc6138ff1acea4095b47d9b2353ee11844e9de9dbd3a274800',
    'hex',
  ),
  // The two smallest steps, down and up: quiet whatever came before, which one of them for ever is not.
  G722: Uint8Array.from([0xfa, 0xfc]),
  PCMU: Uint8Array.of(0xff),
  PCMA: Uint8Array.of(0xd5),
};

const shared = (codec: Codec, frameCount: number): SharedArrayBuffer => {
  const octets = SILENT_FRAMES[codec];
  const buffer = new SharedArrayBuffer(frameCount * CODEC_FRAMES[codec].frameBytes);
  new Uint8Array(buffer).set(Uint8Array.from({ length: buffer.byteLength }, (_, i) => octets[i % octets.length] ?? 0));
  return buffer;
};

const newSilence = (frameCount: number): ClipAudio => ({
  key: `silence of ${frameCount} frames`,
  mediaId: null,
  frameCount,
  renditions: {
    opus: shared('opus', frameCount),
    G722: shared('G722', frameCount),
    PCMU: shared('PCMU', frameCount),
    PCMA: shared('PCMA', frameCount),
  },
});

/** One for each length that was asked for, shared by all calls: at most `MAX_SILENCE_MS / FRAME_MS`. */
const byLength = new Map<number, ClipAudio>();

const silence = (ms: number): readonly Piece[] => {
  const frameCount = ms / FRAME_MS;
  if (frameCount === 0) return [];
  const made = byLength.get(frameCount) ?? newSilence(frameCount);
  byLength.set(frameCount, made);
  return [{ audio: made, isClip: false }];
};
