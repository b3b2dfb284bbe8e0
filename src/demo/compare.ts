import { inSeconds } from '../cli/text.ts';

const SAMPLE_RATE_HZ = 8000;
const FRAME_SAMPLES = 160;

/** A part of what was sent: a clip, decoded. */
export interface SentPart {
  readonly label: string;
  readonly samples: Int16Array;
}

/** How a part came through. */
export interface PartFinding {
  readonly label: string;
  readonly samples: number;
  /** Samples that differ or were not heard at all, at the place where the part belongs. */
  readonly differing: number;
  /** Index within the part of the first one that differs, null if none does. */
  readonly firstDifference: number | null;
  readonly firstFrameEqual: boolean;
  readonly lastFrameEqual: boolean;
  /** How much later than it should the whole part was heard, untouched; null if it was not heard whole anywhere. */
  readonly shiftSamples: number | null;
}

export interface Comparison {
  readonly parts: readonly PartFinding[];
  readonly sentSamples: number;
  readonly heardSamples: number;
  /** Nothing missing, nothing else, nothing changed. */
  readonly equal: boolean;
}

const octetsOf = (samples: Int16Array): Buffer => Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);

const searchFrom = (part: Int16Array, heard: Int16Array, start: number): number | null => {
  const haystack = octetsOf(heard);
  const needle = octetsOf(part);
  let at = haystack.indexOf(needle, start * 2);
  while (at >= 0 && at % 2 !== 0) at = haystack.indexOf(needle, at + 1);
  return at < 0 ? null : at / 2;
};

/** Where `part` lies in `heard`, sample for sample: first near its own place (clips may repeat), then anywhere. */
const placeOf = (part: Int16Array, heard: Int16Array, expected: number): number | null =>
  searchFrom(part, heard, Math.max(0, expected - Math.floor(part.length / 2))) ?? searchFrom(part, heard, 0);

const differences = (part: Int16Array, heard: Int16Array, from: number): number[] => {
  const found: number[] = [];
  for (let index = 0; index < part.length; index++) {
    if (part[index] !== heard[from + index]) found.push(index);
  }
  return found;
};

const inspect = ({ label, samples }: SentPart, heard: Int16Array, from: number): PartFinding => {
  const differing = differences(samples, heard, from);
  const place = differing.length === 0 ? from : placeOf(samples, heard, from);
  const lastFrame = samples.length - FRAME_SAMPLES;
  return {
    label,
    samples: samples.length,
    differing: differing.length,
    firstDifference: differing[0] ?? null,
    firstFrameEqual: !((differing[0] ?? samples.length) < FRAME_SAMPLES),
    lastFrameEqual: !((differing.at(-1) ?? -1) >= lastFrame),
    shiftSamples: place === null ? null : place - from,
  };
};

/** Compares what was heard with the parts that were sent, one after another, sample for sample. */
export const compareAudio = (sent: readonly SentPart[], heard: Int16Array): Comparison => {
  let from = 0;
  const parts = sent.map((part) => {
    const finding = inspect(part, heard, from);
    from += part.samples.length;
    return finding;
  });
  const equal = heard.length === from && parts.every((part) => part.differing === 0);
  return { parts, sentSamples: from, heardSamples: heard.length, equal };
};

const inMs = (samples: number): string => `${Math.round((Math.abs(samples) / SAMPLE_RATE_HZ) * 1000)} ms`;

const shiftText = ({ shiftSamples }: PartFinding): string => {
  if (shiftSamples === null || shiftSamples === 0) return '';
  return `; heard whole, but ${inMs(shiftSamples)} too ${shiftSamples < 0 ? 'early' : 'late'}`;
};

const frameText = (finding: PartFinding): string => {
  const frames = [finding.firstFrameEqual ? '' : 'first', finding.lastFrameEqual ? '' : 'last'].filter(Boolean);
  return frames.length === 0 ? 'first and last 20 ms equal' : `${frames.join(' and ')} 20 ms differ`;
};

const partText = (finding: PartFinding): string => {
  if (finding.differing === 0) return `${finding.samples} samples, 0 differ, first and last 20 ms included`;
  const at = inSeconds(((finding.firstDifference ?? 0) / SAMPLE_RATE_HZ) * 1000);
  return `${finding.samples} samples, ${finding.differing} DIFFER, from sample ${finding.firstDifference} (${at}), ${frameText(finding)}${shiftText(finding)}`;
};

const lengthText = ({ sentSamples, heardSamples }: Comparison): string => {
  const surplus = heardSamples - sentSamples;
  if (surplus === 0) return `${heardSamples} samples heard, as many as were sent`;
  return `${heardSamples} samples heard, ${sentSamples} sent: ${inMs(surplus)} ${surplus < 0 ? 'MISSING' : 'TOO MUCH'}`;
};

/** A comparison as lines for people. */
export const comparisonLines = (comparison: Comparison): string[] => {
  const width = Math.max(...comparison.parts.map(({ label }) => label.length), 'whole call'.length);
  const line = (label: string, text: string): string => `  ${label.padEnd(width)}  ${text}`;
  return [
    ...comparison.parts.map((finding) => line(finding.label, partText(finding))),
    line('whole call', lengthText(comparison)),
  ];
};

/** Which parts differ, for the sentence that a failed demo ends with. */
export const whatDiffers = ({ parts }: Comparison): string => {
  const labels = parts.filter((part) => part.differing > 0).map(({ label }) => label);
  return labels.length === 0 ? 'the length of the call' : labels.join(', ');
};
