import { type Static, Type } from 'typebox';
import type { Clip, ClipVersion } from '../domain/media.ts';
import { isoTime } from './iso-time.ts';

export const ClipJson = Type.Object({
  id: Type.String(),
  sha256: Type.String({ description: 'Of the octets that were uploaded' }),
  bytes: Type.Integer(),
  type: Type.String(),
  durationMs: Type.Integer(),
  frames: Type.Integer({ description: '20 ms each' }),
  createdAt: Type.String(),
});

export const clipJson = (clip: Clip): Static<typeof ClipJson> => ({
  id: clip.id,
  sha256: clip.digest,
  bytes: clip.originalBytes,
  type: clip.originalType,
  durationMs: clip.durationMs,
  frames: clip.frameCount,
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
