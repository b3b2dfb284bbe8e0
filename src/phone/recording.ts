/**
 * What a phone heard, put together from the packets of one stream: each at the place its timestamp gives it, silence
 * where nothing came. Order of arrival does not matter.
 */

const SAMPLE_RATE_HZ = 8_000;
/** A recording holds the first 15 minutes of a call. */
export const MAX_RECORDED_SAMPLES = 15 * 60 * SAMPLE_RATE_HZ;
/** How long before the first packet that arrived a packet may belong. */
const MAX_HEADSTART_SAMPLES = SAMPLE_RATE_HZ;
const MAX_PAUSES = 100;

/** Silence of the sender's making: the timestamp moved on, the sequence number did not. */
export interface Pause {
  readonly atSample: number;
  readonly samples: number;
}

export interface Recorded {
  /** Linear, 8,000 a second. */
  readonly samples: Int16Array;
  /** The first 100; silence where packets were lost is not among them. */
  readonly pauses: readonly Pause[];
}

interface Segment {
  readonly sequence: number;
  readonly offset: number;
  readonly samples: Int16Array;
}

const endOf = (segment: Segment): number => segment.offset + segment.samples.length;

const findPauses = (segments: readonly Segment[], start: number): readonly Pause[] => {
  const pauses: Pause[] = [];
  for (const [i, segment] of segments.entries()) {
    const before = segments[i - 1];
    if (before === undefined || segment.sequence !== before.sequence + 1) continue;
    const samples = segment.offset - endOf(before);
    if (samples > 0 && pauses.length < MAX_PAUSES) pauses.push({ atSample: endOf(before) - start, samples });
  }
  return pauses;
};

const assemble = (segments: readonly Segment[]): Recorded => {
  if (segments.length === 0) return { samples: new Int16Array(0), pauses: [] };
  let [start, end] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const segment of segments) {
    start = Math.min(start, segment.offset);
    end = Math.max(end, endOf(segment));
  }
  const samples = new Int16Array(end - start);
  for (const segment of segments) samples.set(segment.samples, segment.offset - start);
  return { samples, pauses: findPauses(segments, start) };
};

/** Keeps the packets of one stream until they are put together. Bounded; what does not fit is left out. */
export class Recording {
  readonly #segments: Segment[] = [];
  #samplesKept = 0;

  /**
   * `sequence` is the extended sequence number, each given once; `offset` the timestamp relative to that of the packet
   * that arrived first, in samples.
   */
  add(sequence: number, offset: number, samples: Int16Array): void {
    const fitsIn = offset >= -MAX_HEADSTART_SAMPLES && offset + samples.length <= MAX_RECORDED_SAMPLES;
    if (samples.length === 0 || !fitsIn || this.#samplesKept + samples.length > MAX_RECORDED_SAMPLES) return;
    this.#samplesKept += samples.length;
    this.#segments.push({ sequence, offset, samples });
  }

  finish(): Recorded {
    return assemble(this.#segments.toSorted((a, b) => a.sequence - b.sequence));
  }
}
