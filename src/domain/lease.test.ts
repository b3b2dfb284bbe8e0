import { describe, expect, it } from 'vitest';
import { look, mayDial, NOTHING_SEEN, overdue, type Watch } from './lease.ts';

describe('a lease', () => {
  it.each([
    [0, true],
    [5000, true],
    [12_999, true],
    [13_000, false],
    [60_000, false],
  ])('%i ms after the beat was sent allows to dial: %s', (sinceMs, allowed) => {
    expect(mayDial(1_000_000, 1_000_000 + sinceMs)).toBe(allowed);
  });
});

/** What a watcher sees at each of its looks: seconds of its clock, then the beats of node `b`. */
type Look = readonly [atSeconds: number, beats: number];

const watching = (looks: readonly Look[]): Watch =>
  looks.reduce((watch, [at, beats]) => look(watch, [{ nodeId: 'b', beats }], at * 1000), NOTHING_SEEN);

describe('the watch over others', () => {
  it.each<[string, readonly Look[], boolean]>([
    ['seen for the first time', [[0, 7]], false],
    [
      'silent for less than its lease',
      [
        [0, 7],
        [5, 7],
        [10, 7],
        [14.9, 7],
      ],
      false,
    ],
    [
      'silent for its whole lease',
      [
        [0, 7],
        [5, 7],
        [10, 7],
        [15, 7],
      ],
      true,
    ],
    [
      'beating',
      [
        [0, 7],
        [5, 8],
        [10, 9],
        [15, 10],
        [20, 11],
      ],
      false,
    ],
    [
      'that beat once more',
      [
        [0, 7],
        [5, 7],
        [10, 7],
        [14, 8],
        [19, 8],
        [24, 8],
      ],
      false,
    ],
    [
      'that beat once more and then fell silent',
      [
        [0, 7],
        [5, 7],
        [10, 8],
        [15, 8],
        [20, 8],
        [25, 8],
      ],
      true,
    ],
    [
      'that could not beat while the database was away',
      [
        [0, 7],
        [5, 7],
        [40, 7],
        [45, 8],
      ],
      false,
    ],
    [
      'silent right after the database was away, for less than its lease',
      [
        [0, 7],
        [5, 7],
        [40, 7],
        [42.9, 7],
      ],
      false,
    ],
    [
      'silent before the database was away, and after it',
      [
        [0, 7],
        [5, 7],
        [40, 7],
        [45, 7],
      ],
      true,
    ],
    [
      'silent on a database so slow that no look comes in time',
      [
        [0, 7],
        [9, 7],
        [18, 7],
        [27, 7],
      ],
      true,
    ],
  ])('takes a node %s for overdue: %s', (_, looks, isOverdue) => {
    expect(overdue(watching(looks))).toEqual(isOverdue ? [{ nodeId: 'b', beats: looks.at(-1)?.[1] }] : []);
  });

  it('forgets nodes that no longer stand', () => {
    const watch = look(
      watching([
        [0, 7],
        [5, 7],
        [10, 7],
      ]),
      [],
      15_000,
    );
    expect(overdue(watch)).toEqual([]);
    expect(overdue(look(watch, [{ nodeId: 'b', beats: 7 }], 20_000))).toEqual([]);
  });

  it('never finds a node overdue that may still dial, whatever the delays between beat and look', () => {
    // The beat was sent before it could be seen: from there on both clocks run alike.
    for (let sentAtMs = 0; sentAtMs <= 5000; sentAtMs += 250) {
      let watch = NOTHING_SEEN;
      for (let nowMs = 5000; overdue(watch).length === 0; nowMs += 4900) {
        watch = look(watch, [{ nodeId: 'b', beats: 1 }], nowMs);
        if (overdue(watch).length > 0) expect(mayDial(sentAtMs, nowMs)).toBe(false);
      }
    }
  });
});
