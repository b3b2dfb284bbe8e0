import { type Static, Type } from 'typebox';
import type { Media } from '../domain/media.ts';
import { ClipJson, clipJson } from './clip-json.ts';
import { isoTime } from './iso-time.ts';
import { nullable } from './schema.ts';

export const MediaJson = Type.Object({
  id: Type.String(),
  name: Type.String(),
  clip: nullable(ClipJson),
  createdAt: Type.String(),
});

export const mediaJson = ({ id, name, clip, createdAt }: Media): Static<typeof MediaJson> => ({
  id,
  name,
  clip: clip && clipJson(clip),
  createdAt: isoTime(createdAt),
});
