import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chargedNext, nextInTurn } from './turns.ts';

interface One {
  readonly name: number;
  readonly weight: number;
  charged: number;
}

const serve = (all: readonly One[], waiting: readonly One[] = all): number => {
  const next = nextInTurn(waiting, all);
  if (!next) throw new Error('nobody waits');
  next.charged = chargedNext(next, all);
  return next.name;
};

test('nobody waits, nobody is next', () => {
  expect(nextInTurn([])).toBeUndefined();
});

test('serves by weight: each within about a turn of its share', () => {
  const weights = fc.array(fc.integer({ min: 1, max: 10 }), { minLength: 2, maxLength: 6 });
  fc.assert(
    fc.property(weights, fc.integer({ min: 1, max: 400 }), (given, turns) => {
      const all = given.map((weight, name): One => ({ name, weight, charged: 0 }));
      const served = all.map(() => 0);
      for (let turn = 0; turn < turns; turn++) {
        const name = serve(all);
        served[name] = (served[name] ?? 0) + 1;
      }
      const perWeight = all.map(({ name, weight }) => (served[name] ?? 0) / weight);
      expect(Math.max(...perWeight) - Math.min(...perWeight)).toBeLessThanOrEqual(1 + 1e-9);
    }),
  );
});

test('who comes back is next, once, and has saved up nothing', () => {
  const all: One[] = [0, 1, 2].map((name) => ({ name, weight: 1, charged: 0 }));
  const [busy, other, away] = all;
  if (!busy || !other || !away) throw new Error('three were made');
  for (let turn = 0; turn < 1000; turn++) serve(all, [busy, other]);
  const names = Array.from({ length: 9 }, () => serve(all));
  expect(names.indexOf(2)).toBeLessThan(3);
  expect(names.filter((name) => name === 2).length).toBeLessThanOrEqual(4);
});

test('all who wait behind one that is served elsewhere all the time take turns', () => {
  const all: One[] = [0, 1, 2].map((name) => ({ name, weight: 1, charged: 0 }));
  const [fast, ...slow] = all;
  if (!fast) throw new Error('three were made');
  const names = Array.from({ length: 10 }, () => {
    for (let turn = 0; turn < 50; turn++) serve(all, [fast]);
    return serve(all, slow);
  });
  expect(names).toEqual([1, 2, 1, 2, 1, 2, 1, 2, 1, 2]);
});
