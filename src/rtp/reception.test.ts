import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Reception } from './reception.ts';

const FRAME = 160;
const received = (sequences: readonly number[]): Reception => {
  const reception = new Reception();
  for (const s of sequences) reception.take(s % 65_536, (s * FRAME) >>> 0, s * FRAME);
  return reception;
};
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

describe('what a receiver counts of a stream', () => {
  it('nothing before the first packet', () => {
    expect(new Reception().report()).toBeNull();
  });

  it('no loss, and the highest number with its wraps', () => {
    expect(received(range(65_000, 66_000)).report()).toEqual({
      fractionLost: 0,
      cumulativeLost: 0,
      highestSequence: 65_999,
      jitter: 0,
    });
  });

  it('loss since the last report in 256ths, and in all', () => {
    const reception = received([...range(0, 50), ...range(75, 100)]);
    expect(reception.report()).toMatchObject({ fractionLost: 64, cumulativeLost: 25 });
    for (const s of range(100, 200)) reception.take(s, s * FRAME, s * FRAME);
    expect(reception.report()).toMatchObject({ fractionLost: 0, cumulativeLost: 25 });
    expect(reception.report()).toMatchObject({ fractionLost: 0, cumulativeLost: 25 });
  });

  it('packets that come twice make the loss negative, never the fraction', () => {
    expect(received([1, 2, 2, 3]).report()).toMatchObject({ fractionLost: 0, cumulativeLost: -1 });
  });

  it('disorder is no loss', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(range(1_001, 1_050), { minLength: 49 }), (disorder) => {
        expect(received([1_000, ...disorder]).report()).toMatchObject({ cumulativeLost: 0, highestSequence: 1_049 });
      }),
    );
  });

  it('jitter is a sixteenth of each change of transit (A.8)', () => {
    const reception = new Reception();
    reception.take(0, 0, 1_000);
    reception.take(1, 160, 1_320);
    expect(reception.report()?.jitter).toBe(10);
    reception.take(2, 320, 1_320);
    expect(reception.report()?.jitter).toBe(19);
  });

  it('one number far off is left out; two in a row start the count anew (A.1)', () => {
    const reception = received([1, 2, 3]);
    const takeElsewhere = (s: number): void => reception.take(s, s * FRAME, s * FRAME + 1_000_000);
    takeElsewhere(40_000);
    expect(reception.report()).toMatchObject({ cumulativeLost: 0, highestSequence: 3, jitter: 0 });
    takeElsewhere(40_001);
    takeElsewhere(40_002);
    expect(reception.report()).toMatchObject({ cumulativeLost: 0, highestSequence: 40_002, jitter: 0 });
  });

  it('whatever comes, a report fits its fields', () => {
    const packet = fc.tuple(fc.nat(0xffff), fc.nat(0xffffffff), fc.nat(0xffffffff));
    fc.assert(
      fc.property(fc.array(packet, { minLength: 1, maxLength: 60 }), (packets) => {
        const reception = new Reception();
        for (const [sequence, timestamp, arrival] of packets) reception.take(sequence, timestamp, arrival);
        const report = reception.report();
        expect(report?.fractionLost).toBeGreaterThanOrEqual(0);
        expect(report?.fractionLost).toBeLessThanOrEqual(255);
        expect(report?.jitter).toBeGreaterThanOrEqual(0);
        expect(report?.jitter).toBeLessThan(2 ** 32);
        expect(report?.highestSequence).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
