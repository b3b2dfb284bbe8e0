import type { ClipAudio } from '../../src/domain/call.ts';
import { CODECS, type Codec, renditionBytes } from '../../src/domain/codec.ts';
import type { Renditions } from '../../src/domain/media.ts';

/** Renditions of a clip, all their octets `fill`, or what `fillOf` says for each codec. */
export const renditionsOf = (frameCount: number, fill: number | ((codec: Codec) => number)): Renditions => {
  const fillOf = typeof fill === 'number' ? () => fill : fill;
  const rendition = (codec: Codec) => new Uint8Array(renditionBytes(codec, frameCount)).fill(fillOf(codec));
  const [opus, G722, PCMU, PCMA] = CODECS.map(rendition) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array];
  return { opus, G722, PCMU, PCMA };
};

/** Renditions as the media thread takes them. */
export const sharedRenditions = (of: (codec: Codec) => SharedArrayBuffer): ClipAudio['renditions'] => ({
  opus: of('opus'),
  G722: of('G722'),
  PCMU: of('PCMU'),
  PCMA: of('PCMA'),
});
