import type { ClipAudio, ClipPlace, PressedDigit } from '../domain/call.ts';
import type { PlaceInPlaylist } from '../media/link.ts';

/** Keys of one call that are kept; nobody presses more in a message. */
const MAX_DIGITS = 128;

/** A place as the record of the call has it. */
export const placeOf = (clips: readonly ClipAudio[], place: PlaceInPlaylist | null): ClipPlace | null =>
  place && { mediaId: clips[Math.min(place.clip, clips.length - 1)]?.mediaId ?? null, ms: place.placeMs };

/**
 * The keys that the callee of one call presses, told by telephone-events or by INFO. Some peers tell each press both
 * ways: the first way that one came is the way that counts.
 */
export class PressedDigits {
  readonly #onDigit: (digit: string) => void;
  readonly #pressed: PressedDigit[] = [];
  #way: 'events' | 'info' | null = null;

  constructor(onDigit: (digit: string) => void) {
    this.#onDigit = onDigit;
  }

  press(way: 'events' | 'info', digit: string, at: ClipPlace | null): void {
    this.#way ??= way;
    if (way !== this.#way || this.#pressed.length >= MAX_DIGITS) return;
    this.#pressed.push({ digit, mediaId: at?.mediaId ?? null, ms: at?.ms ?? 0 });
    this.#onDigit(digit);
  }

  get all(): readonly PressedDigit[] {
    return [...this.#pressed];
  }
}
