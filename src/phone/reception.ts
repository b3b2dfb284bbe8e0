import type { Place } from './sequence.ts';

/** How a stream of voice arrived. */
export interface Reception {
  /** Without duplicates. */
  readonly packets: number;
  /** Numbers between the lowest and the highest that never came. */
  readonly lost: number;
  readonly duplicates: number;
  readonly outOfOrder: number;
  /** Inter-arrival jitter at the end (RFC 3550 6.4.1). */
  readonly jitterMs: number;
  /** From the 200 that answered the call to the first packet; null if none came. */
  readonly firstPacketAfterMs: number | null;
}

const SAMPLES_PER_MS = 8;
const JITTER_GAIN = 16;

/** Counts packets as they come, on a monotonic clock. */
export class ReceptionCounter {
  readonly #answeredAtMs: number;
  #packets = 0;
  #duplicates = 0;
  #outOfOrder = 0;
  #lowest = Number.POSITIVE_INFINITY;
  #highest = Number.NEGATIVE_INFINITY;
  #jitterMs = 0;
  #lastTransitMs: number | null = null;
  #firstPacketAfterMs: number | null = null;

  constructor(answeredAtMs: number) {
    this.#answeredAtMs = answeredAtMs;
  }

  /** `offset` is the packet's timestamp relative to the first one's, in samples. */
  count(place: Place, offset: number, arrivedAtMs: number): void {
    if (place.kind === 'duplicate') {
      this.#duplicates += 1;
      return;
    }
    this.#packets += 1;
    if (place.kind === 'late') this.#outOfOrder += 1;
    this.#lowest = Math.min(this.#lowest, place.extended);
    this.#highest = Math.max(this.#highest, place.extended);
    this.#firstPacketAfterMs ??= arrivedAtMs - this.#answeredAtMs;
    this.#countTransit(arrivedAtMs - offset / SAMPLES_PER_MS);
  }

  read(): Reception {
    const expected = this.#packets === 0 ? 0 : this.#highest - this.#lowest + 1;
    return {
      packets: this.#packets,
      lost: expected - this.#packets,
      duplicates: this.#duplicates,
      outOfOrder: this.#outOfOrder,
      jitterMs: this.#jitterMs,
      firstPacketAfterMs: this.#firstPacketAfterMs,
    };
  }

  /** RFC 3550 A.8: J += (|D| - J) / 16, with D the change of transit time. */
  #countTransit(transitMs: number): void {
    const change = this.#lastTransitMs === null ? 0 : Math.abs(transitMs - this.#lastTransitMs);
    this.#jitterMs += (change - this.#jitterMs) / JITTER_GAIN;
    this.#lastTransitMs = transitMs;
  }
}
