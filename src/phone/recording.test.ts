import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_RECORDED_SAMPLES, Recording } from './recording.ts';

const tone = (value: number, samples = 160): Int16Array => new Int16Array(samples).fill(value);

const record = (...packets: [sequence: number, offset: number, samples: Int16Array][]) => {
  const recording = new Recording();
  for (const [sequence, offset, samples] of packets) recording.add(sequence, offset, samples);
  return recording.finish();
};

/** Runs of equal samples, as `[value, count]`. */
const runs = (samples: Int16Array): [number, number][] => {
  const found: [number, number][] = [];
  for (const sample of samples) {
    const last = found.at(-1);
    if (last?.[0] === sample) last[1] += 1;
    else found.push([sample, 1]);
  }
  return found;
};

describe('a recording', () => {
  it('of nothing is empty', () => {
    expect(record()).toEqual({ samples: new Int16Array(0), pauses: [] });
  });

  it('puts packets where their timestamps say, whatever order they came in', () => {
    const { samples, pauses } = record([12, 160, tone(2)], [11, 0, tone(1)], [13, 320, tone(3)]);
    expect(runs(samples)).toEqual([
      [1, 160],
      [2, 160],
      [3, 160],
    ]);
    expect(pauses).toEqual([]);
  });

  it('begins with the packet of the lowest timestamp, though it came second', () => {
    const { samples } = record([12, 0, tone(2)], [11, -160, tone(1)]);
    expect(runs(samples)).toEqual([
      [1, 160],
      [2, 160],
    ]);
  });

  it('is silent where a packet was lost, and does not call that a pause', () => {
    const { samples, pauses } = record([1, 0, tone(1)], [3, 320, tone(3)]);
    expect(runs(samples)).toEqual([
      [1, 160],
      [0, 160],
      [3, 160],
    ]);
    expect(pauses).toEqual([]);
  });

  it('is silent where the sender paused, and says where', () => {
    const { samples, pauses } = record([1, 0, tone(1)], [2, 640, tone(2)]);
    expect(runs(samples)).toEqual([
      [1, 160],
      [0, 480],
      [2, 160],
    ]);
    expect(pauses).toEqual([{ atSample: 160, samples: 480 }]);
  });

  it('holds frames of any length', () => {
    expect(record([1, 0, tone(1, 80)], [2, 80, tone(2, 240)]).samples).toHaveLength(320);
  });

  it('leaves out what lies past its end, or long before its beginning', () => {
    const last = MAX_RECORDED_SAMPLES - 160;
    const kept = record([1, 0, tone(1)], [2, last, tone(2)], [3, last + 1, tone(3)], [4, -8_001, tone(4)]);
    expect(kept.samples).toHaveLength(MAX_RECORDED_SAMPLES);
    expect(runs(kept.samples).map(([value]) => value)).toEqual([1, 0, 2]);
  });

  it('keeps no more samples than it can hold, however they overlap', () => {
    const whole = tone(1, MAX_RECORDED_SAMPLES);
    expect(runs(record([1, 0, whole], [2, 0, tone(2)]).samples)).toEqual([[1, MAX_RECORDED_SAMPLES]]);
  });

  it('does not depend on the order of arrival', () => {
    const stream = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(stream, fc.infiniteStream(fc.nat()), (slots, keys) => {
        let offset = 0;
        const packets = slots.map((gap, i): [number, number, Int16Array] => {
          offset += gap * 160;
          return [i, offset, tone(i + 1)];
        });
        const shuffled = packets
          .map((packet) => ({ packet, key: keys.next().value ?? 0 }))
          .sort((a, b) => a.key - b.key)
          .map(({ packet }) => packet);
        // Offsets count from the packet that arrived first, and must lie within a second of it.
        fc.pre(offset - 160 <= 8_000);
        expect(record(...shuffled)).toEqual(record(...packets));
      }),
    );
  });
});
