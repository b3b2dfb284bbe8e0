import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPortPool } from './port-pool.ts';

const takeAll = (pool: ReturnType<typeof createPortPool>, count: number) =>
  Array.from({ length: count }, () => pool.take());

describe('the port pool', () => {
  it('gives each even port of the range that has its odd one, once', () => {
    expect(
      takeAll(
        createPortPool([16_385, 16_392], () => 0),
        4,
      ),
    ).toEqual([16_386, 16_388, 16_390, null]);
  });

  it('lets a port rest for a minute', () => {
    let nowMs = 5;
    const pool = createPortPool([10, 15], () => nowMs);
    takeAll(pool, 2);
    pool.release(12);
    pool.release(10);
    expect(takeAll(pool, 2)).toEqual([14, null]);
    nowMs = 60_004.9;
    expect(pool.take()).toBe(null);
    nowMs = 60_005;
    expect(takeAll(pool, 3)).toEqual([12, 10, null]);
  });

  it('tells how many have rested', () => {
    let nowMs = 0;
    const pool = createPortPool([10, 15], () => nowMs);
    expect([pool.rested(), pool.take(), pool.rested()]).toEqual([3, 10, 2]);
    pool.release(10);
    expect(pool.rested()).toBe(2);
    nowMs = 59_999;
    pool.take();
    pool.release(12);
    nowMs = 60_000;
    expect([pool.rested(), pool.take(), pool.take(), pool.rested(), pool.take()]).toEqual([2, 14, 10, 0, null]);
    expect(createPortPool([0, 0], () => 0).rested()).toBe(Number.POSITIVE_INFINITY);
  });

  it('never has a port taken twice, nor again within a minute', () => {
    const steps = fc.array(fc.tuple(fc.boolean(), fc.nat(40_000)), { maxLength: 200 });
    fc.assert(
      fc.property(steps, (moves) => {
        let nowMs = 0;
        const pool = createPortPool([100, 111], () => nowMs);
        const taken: number[] = [];
        const releasedAtMs = new Map<number, number>();
        for (const [isTake, passedMs] of moves) {
          nowMs += passedMs;
          const port = isTake ? pool.take() : taken.shift();
          if (port === undefined || port === null) continue;
          if (!isTake) {
            pool.release(port);
            releasedAtMs.set(port, nowMs);
            continue;
          }
          expect(taken).not.toContain(port);
          expect(nowMs - (releasedAtMs.get(port) ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(60_000);
          taken.push(port);
        }
      }),
    );
  });

  it('leaves the choice to the system for 0-0', () => {
    expect(
      takeAll(
        createPortPool([0, 0], () => 0),
        3,
      ),
    ).toEqual([0, 0, 0]);
  });

  it('may be one pair', () => {
    expect(
      takeAll(
        createPortPool([20, 21], () => 0),
        2,
      ),
    ).toEqual([20, null]);
  });

  it.each([[[21, 22]], [[20, 20]], [[30, 20]]] as const)('refuses the range %j, which holds none', (range) => {
    expect(() => createPortPool(range, () => 0)).toThrow(`The RTP port range ${range.join('-')} holds no even port`);
  });
});
