import { FRAME_MS } from './codec.ts';

/** Silence around and between the clips of a call, in whole frames. */
export interface Silences {
  /** Before the first clip: whoever picks up has time to put the phone to the ear. */
  readonly leadInMs: number;
  /** Between two clips. */
  readonly gapMs: number;
  /** After the last clip, before Ringcast hangs up. */
  readonly tailMs: number;
}

export const DEFAULT_SILENCES: Silences = { leadInMs: 300, gapMs: 400, tailMs: 200 };
export const NO_SILENCES: Silences = { leadInMs: 0, gapMs: 0, tailMs: 0 };

export const MAX_SILENCE_MS = 5000;

/** How long clips play, silences included. */
export const playTimeMs = (clips: readonly { readonly frameCount: number }[], silences: Silences): number => {
  const framesMs = clips.reduce((sum, { frameCount }) => sum + frameCount * FRAME_MS, 0);
  return framesMs + silences.leadInMs + silences.gapMs * Math.max(0, clips.length - 1) + silences.tailMs;
};
