import { describe, expect, it } from 'vitest';
import { createOverload } from './overload.ts';

const note = (overload: ReturnType<typeof createOverload>, times: number, lateMs: number) => {
  for (let packet = 0; packet < times; packet += 1) overload.note(lateMs);
};

describe('overload', () => {
  it('is not there while one packet in a hundred is 10 ms late', () => {
    const overload = createOverload(0);
    note(overload, 495, 9.9);
    note(overload, 5, 10);
    expect(overload.isOverloaded(1000)).toBe(false);
  });

  it('begins with a second of more, and ends after three without', () => {
    const overload = createOverload(0);
    note(overload, 494, 0);
    note(overload, 6, 10);
    expect([overload.isOverloaded(999), overload.isOverloaded(1000)]).toEqual([false, true]);
    for (const endMs of [2000, 3000]) {
      note(overload, 500, 0);
      expect(overload.isOverloaded(endMs)).toBe(true);
    }
    note(overload, 500, 0);
    expect(overload.isOverloaded(4000)).toBe(false);
  });

  it('is not for fewer than ten calls', () => {
    const overload = createOverload(0);
    note(overload, 499, 50);
    expect(overload.isOverloaded(1000)).toBe(false);
  });

  it('begins anew with every bad second', () => {
    const overload = createOverload(0);
    note(overload, 500, 50);
    overload.isOverloaded(1000);
    overload.isOverloaded(3500);
    note(overload, 500, 50);
    expect([overload.isOverloaded(4000), overload.isOverloaded(6999), overload.isOverloaded(7000)]).toEqual([
      true,
      true,
      false,
    ]);
  });
});
