import { type Static, Type } from 'typebox';
import type { Clip, ClipVersion, Loudness } from '../domain/media.ts';
import { isoTime } from './iso-time.ts';
import { nullable } from './schema.ts';

export const ClipJson = Type.Object({
  id: Type.String(),
  sha256: Type.String({ description: 'Of the octets that were uploaded' }),
  bytes: Type.Integer(),
  type: Type.String(),
  durationMs: Type.Integer(),
  frames: Type.Integer({ description: '20 ms each' }),
  loudness: nullable(
    Type.Object({
      sourceLufs: Type.Number({ description: 'Of the file as it was uploaded (EBU R 128, in the telephone band)' }),
      lufs: Type.Number({ description: 'Of the clip' }),
      truePeakDbfs: Type.Number({ description: "The clip's true peak" }),
    }),
  ),
  createdAt: Type.String(),
});

const inTenths = (value: number): number => Math.round(value * 10) / 10;

const rounded = ({ sourceLufs, lufs, truePeakDbfs }: Loudness): Loudness => ({
  sourceLufs: inTenths(sourceLufs),
  lufs: inTenths(lufs),
  truePeakDbfs: inTenths(truePeakDbfs),
});

export const clipJson = (clip: Clip): Static<typeof ClipJson> => ({
  id: clip.id,
  sha256: clip.digest,
  bytes: clip.originalBytes,
  type: clip.originalType,
  durationMs: clip.durationMs,
  frames: clip.frameCount,
  loudness: clip.loudness && rounded(clip.loudness),
  createdAt: isoTime(clip.createdAt),
});

export const ClipVersionJson = Type.Object({
  ...ClipJson.properties,
  current: Type.Boolean({ description: 'What a blast accepted now plays' }),
  renditions: Type.Array(Type.Object({ codec: Type.String(), bytes: Type.Integer() })),
});

export const clipVersionJson = (clip: ClipVersion): Static<typeof ClipVersionJson> => ({
  ...clipJson(clip),
  current: clip.isCurrent,
  renditions: [...clip.renditions],
});
