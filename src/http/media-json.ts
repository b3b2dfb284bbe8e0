import { type Static, Type } from 'typebox';
import type { Media } from '../domain/media.ts';
import { ClipJson, clipJson } from './clip-json.ts';
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
  clip: nullable(ClipJson),
  createdAt: Type.String(),
});

export const mediaJson = ({ id, name, processing, clip, createdAt }: Media): Static<typeof MediaJson> => ({
  id,
  name,
  processing,
  clip: clip && clipJson(clip),
  createdAt: isoTime(createdAt),
});
