import { G711_FRAME_BYTES } from '../domain/codec.ts';
import type { Renditions } from '../domain/media.ts';
import { encodeAlaw, encodeUlaw } from '../rtp/g711.ts';

/** Encodes 8 kHz samples for every codec, the last frame filled up with silence. */
export const encodeRenditions = (samples: Int16Array): { frameCount: number; renditions: Renditions } => {
  const frameCount = Math.ceil(samples.length / G711_FRAME_BYTES);
  const padded = new Int16Array(frameCount * G711_FRAME_BYTES);
  padded.set(samples);
  return { frameCount, renditions: { PCMU: encodeUlaw(padded), PCMA: encodeAlaw(padded) } };
};
