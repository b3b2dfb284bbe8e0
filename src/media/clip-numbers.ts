import type { ClipAudio } from '../domain/call.ts';
import { CODECS, renditionBytes } from '../domain/codec.ts';
import type { ThreadOrder } from './messages.ts';

/**
 * Numbers of the clips that one thread knows. A clip crosses to it with its first call and leaves with its last; it is the
 * same as another if it lies in the same memory, for each call has its own words about it.
 */
export class ClipNumbers {
  readonly #post: (order: ThreadOrder) => void;
  readonly #known = new Map<ClipAudio['renditions'], { readonly number: number; calls: number }>();
  #lastNumber = 0;

  constructor(post: (order: ThreadOrder) => void) {
    this.#post = post;
  }

  /** Numbers for one call, to be given back by `release`. Throws if a clip is no whole frames. */
  hold(clips: readonly ClipAudio[]): readonly number[] {
    clips.forEach(assertWholeFrames);
    return clips.map((clip) => {
      const known = this.#known.get(clip.renditions) ?? this.#load(clip);
      known.calls += 1;
      return known.number;
    });
  }

  release(clips: readonly ClipAudio[]): void {
    for (const clip of clips) {
      const known = this.#known.get(clip.renditions);
      if (known === undefined) continue;
      known.calls -= 1;
      if (known.calls > 0) continue;
      this.#known.delete(clip.renditions);
      this.#post({ type: 'unload', clip: known.number });
    }
  }

  #load(clip: ClipAudio) {
    this.#lastNumber += 1;
    const { frameCount, renditions } = clip;
    const known = { number: this.#lastNumber, calls: 0 };
    this.#known.set(renditions, known);
    this.#post({ type: 'load', clip: known.number, audio: { frameCount, renditions } });
    return known;
  }
}

const assertWholeFrames = ({ key, frameCount, renditions }: ClipAudio): void => {
  for (const codec of CODECS) {
    const { byteLength } = renditions[codec];
    if (byteLength === renditionBytes(codec, frameCount)) continue;
    throw new Error(`Clip ${key} has ${byteLength} octets of ${codec}, not ${frameCount} whole frames.`);
  }
};
