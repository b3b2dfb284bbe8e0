import { type Comparison, compareAudio, type SentPart } from './compare.ts';

/** Silence that the sender put between two frames: it was not woken in time. Told by the phone. */
export interface Pause {
  readonly atSample: number;
  readonly samples: number;
}

const SAMPLES_PER_MS = 8;

const isPause = (value: unknown): value is Pause =>
  typeof value === 'object' &&
  value !== null &&
  Number.isInteger((value as Pause).atSample) &&
  Number.isInteger((value as Pause).samples);

/** The pauses of a phone's event line. */
export const pausesIn = (told: unknown): readonly Pause[] => (Array.isArray(told) ? told.filter(isPause) : []);

/** What was heard, as if the sender had not paused. */
export const withoutPauses = (heard: Int16Array, pauses: readonly Pause[]): Int16Array => {
  const kept = new Int16Array(heard.length);
  let [from, length] = [0, 0];
  for (const { atSample, samples } of [...pauses, { atSample: heard.length, samples: 0 }]) {
    kept.set(heard.subarray(from, atSample), length);
    length += Math.max(0, atSample - from);
    from = atSample + samples;
  }
  return kept.slice(0, length);
};

/** Why a recording with pauses differs, in one sentence; null if it has none or is equal all the same. */
export const pauseSentence = (
  sent: readonly SentPart[],
  heard: Int16Array,
  pauses: readonly Pause[],
  comparison: Comparison,
): string | null => {
  if (pauses.length === 0 || comparison.equal) return null;
  const ms = pauses.reduce((sum, pause) => sum + pause.samples, 0) / SAMPLES_PER_MS;
  const rest = compareAudio(sent, withoutPauses(heard, pauses)).equal ? 'nothing else differs' : 'and more differs';
  const times = pauses.length === 1 ? 'once' : `${pauses.length} times`;
  return `this machine was too busy to send in time: the server paused ${times}, ${ms} ms in all; ${rest}`;
};
