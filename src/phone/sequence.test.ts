import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSequenceTracker } from './sequence.ts';

const track = (...sequences: number[]) => {
  const tracker = createSequenceTracker();
  return sequences.map((sequence) => {
    const { extended, kind } = tracker(sequence);
    return [extended, kind];
  });
};

describe('the sequence tracker', () => {
  it('counts on past 65,535', () => {
    expect(track(65_534, 65_535, 0, 1)).toEqual([
      [65_534, 'next'],
      [65_535, 'next'],
      [65_536, 'next'],
      [65_537, 'next'],
    ]);
  });

  it('tells late packets and duplicates apart, round the wrap too', () => {
    expect(track(65_535, 1, 0, 1, 0, 65_535)).toEqual([
      [65_535, 'next'],
      [65_537, 'next'],
      [65_536, 'late'],
      [65_537, 'duplicate'],
      [65_536, 'duplicate'],
      [65_535, 'duplicate'],
    ]);
  });

  it('puts packets that overtook the very first one before it', () => {
    expect(track(0, 65_535)).toEqual([
      [0, 'next'],
      [-1, 'late'],
    ]);
  });

  it('takes for a duplicate what is too old to be remembered', () => {
    expect(track(5_000, 6_024, 5_000, 5_001)).toEqual([
      [5_000, 'next'],
      [6_024, 'next'],
      [5_000, 'duplicate'],
      [5_001, 'late'],
    ]);
  });

  it('gives every packet of a shuffled stream its number, once', () => {
    const stream = fc.tuple(fc.nat(65_535), fc.array(fc.nat(20), { minLength: 1, maxLength: 300 }));
    fc.assert(
      fc.property(stream, ([first, jitters]) => {
        const arrivals = jitters
          .map((jitter, i) => ({ at: i + jitter, number: first + i }))
          .sort((a, b) => a.at - b.at)
          .map(({ number }) => number);
        const places = track(...arrivals.flatMap((number) => [number & 0xffff, number & 0xffff]));
        const base = (arrivals[0] ?? 0) - ((arrivals[0] ?? 0) % 65_536);
        const fresh = places.filter(([, kind]) => kind !== 'duplicate').map(([extended]) => Number(extended) + base);
        expect(fresh).toEqual(arrivals);
      }),
    );
  });
});
