import { type Static, Type } from 'typebox';
import type { Media } from '../domain/media.ts';
import { isoTime } from './iso-time.ts';
import { nullable } from './schema.ts';

export const MediaJson = Type.Object({
  id: Type.String(),
  name: Type.String(),
  processing: Type.Object({
    level: Type.Boolean({ description: 'Clips are brought to -20 LUFS' }),
    trim: Type.Boolean({ description: 'Leading and trailing silence beyond 300 ms is cut off' }),
    telephoneBand: Type.Boolean({ description: 'Nothing is kept below 300 and above 3,400 Hz' }),
  }),
  clip: nullable(
    Type.Object({
      id: Type.String(),
      sha256: Type.String({ description: 'Of the octets that were uploaded' }),
      bytes: Type.Integer(),
      type: Type.String(),
      durationMs: Type.Integer(),
      frames: Type.Integer({ description: '20 ms each' }),
      createdAt: Type.String(),
    }),
  ),
  createdAt: Type.String(),
});

export const mediaJson = ({ id, name, processing, clip, createdAt }: Media): Static<typeof MediaJson> => ({
  id,
  name,
  processing,
  clip: clip && {
    id: clip.id,
    sha256: clip.digest,
    bytes: clip.originalBytes,
    type: clip.originalType,
    durationMs: clip.durationMs,
    frames: clip.frameCount,
    createdAt: isoTime(clip.createdAt),
  },
  createdAt: isoTime(createdAt),
});
