import { describe, expect, it } from 'vitest';
import { createPortPool } from './port-pool.ts';

const takeAll = (pool: ReturnType<typeof createPortPool>, count: number) =>
  Array.from({ length: count }, () => pool.take());

describe('the port pool', () => {
  it('gives each even port of the range once', () => {
    const pool = createPortPool([16_385, 16_391]);
    expect(pool.size).toBe(3);
    expect(takeAll(pool, 4)).toEqual([16_386, 16_388, 16_390, null]);
  });

  it('lets a port rest for as long as others are free', () => {
    const pool = createPortPool([10, 14]);
    pool.take();
    pool.release(10);
    expect(takeAll(pool, 4)).toEqual([12, 14, 10, null]);
  });

  it('gives back what was released', () => {
    const pool = createPortPool([10, 12]);
    takeAll(pool, 2);
    pool.release(12);
    expect(takeAll(pool, 2)).toEqual([12, null]);
  });

  it('leaves the choice to the system for 0-0', () => {
    expect(takeAll(createPortPool([0, 0]), 3)).toEqual([0, 0, 0]);
  });

  it('may be one port', () => {
    expect(takeAll(createPortPool([20, 20]), 2)).toEqual([20, null]);
  });

  it.each([[[21, 21]], [[30, 20]]] as const)('refuses the range %j, which holds none', (range) => {
    expect(() => createPortPool(range)).toThrow(`The RTP port range ${range.join('-')} holds no even port`);
  });
});
