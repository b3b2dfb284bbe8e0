import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createWheel } from './wheel.ts';

const expire = (wheel: ReturnType<typeof createWheel>, tick: number): number[] => {
  const rows: number[] = [];
  wheel.expire(tick, (row) => rows.push(row));
  return rows;
};

describe('the wheel', () => {
  it('hands over what is due, the earliest first, each once', () => {
    const wheel = createWheel(4);
    wheel.insert(0, 12);
    wheel.insert(1, 10);
    wheel.insert(2, 12);
    wheel.insert(3, 13);
    expect([wheel.nextTick(), expire(wheel, 9), expire(wheel, 12), expire(wheel, 12)]).toEqual([10, [], [1, 0, 2], []]);
  });

  it('hands everything over after a stall of many turns, once', () => {
    const wheel = createWheel(3);
    for (const [row, tick] of [5, 20, 31].entries()) wheel.insert(row, tick);
    const rows: number[] = [];
    wheel.expire(1000, (row) => {
      rows.push(row);
      wheel.insert(row, 1005);
    });
    expect(rows.sort()).toEqual([0, 1, 2]);
    expect([expire(wheel, 1004), expire(wheel, 1005).sort()]).toEqual([[], [0, 1, 2]]);
  });

  it('lets a row go that is due in the same millisecond as the one being handed over', () => {
    const wheel = createWheel(2);
    wheel.insert(0, 7);
    wheel.insert(1, 7);
    const rows: number[] = [];
    wheel.expire(7, (row) => {
      rows.push(row);
      wheel.remove(1);
    });
    expect([rows, wheel.nextTick()]).toEqual([[0], Number.POSITIVE_INFINITY]);
  });

  it('hands over the next time what was due before it was put in', () => {
    const wheel = createWheel(1);
    expire(wheel, 100);
    wheel.insert(0, 50);
    expect([wheel.nextTick(), expire(wheel, 101)]).toEqual([101, [0]]);
  });

  it('is never early, and never late by a turn, whatever comes', () => {
    const move = fc.record({ row: fc.nat(7), aheadMs: fc.integer({ min: 1, max: 31 }), passMs: fc.nat(80) });
    fc.assert(
      fc.property(fc.array(move, { maxLength: 100 }), (moves) => {
        const wheel = createWheel(8);
        const due = new Map<number, number>();
        let tick = 0;
        for (const { row, aheadMs, passMs } of moves) {
          wheel.remove(row);
          wheel.insert(row, tick + aheadMs);
          due.set(row, tick + aheadMs);
          expect(wheel.nextTick()).toBeLessThanOrEqual(Math.min(...due.values()));
          tick += passMs;
          const wanted = [...due].filter(([, at]) => at <= tick).map(([each]) => each);
          expect(expire(wheel, tick).sort()).toEqual(wanted.sort());
          for (const each of wanted) due.delete(each);
        }
      }),
    );
  });
});
