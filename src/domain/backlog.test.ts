import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dialledUntilLast, shareOf } from './backlog.ts';

const queue = (applicationId: string, route = 'r', priority = 1) => ({ applicationId, route, priority });

describe('the share of a queue', () => {
  it('is everything where no other stands', () => {
    expect(shareOf(queue('a'), [])).toBe(1);
    expect(shareOf(queue('a'), [queue('a')])).toBe(1);
  });

  it('goes by priority among the applications of a route', () => {
    expect(shareOf(queue('a', 'r', 3), [queue('b')])).toBe(0.75);
    expect(shareOf(queue('a'), [queue('a'), queue('b', 'r', 2), queue('c')])).toBe(0.25);
  });

  it('is even among routes', () => {
    expect(shareOf(queue('a', 'r', 10), [queue('b', 's'), queue('a', 's')])).toBe(0.5);
    expect(shareOf(queue('a'), [queue('b'), queue('b', 's')])).toBe(0.25);
  });
});

describe('calls that are dialled until the last of a blast is', () => {
  it('are those of its queue, and what others get meanwhile', () => {
    expect(dialledUntilLast(10, 10_000, { ahead: 90, share: 0.25 })).toBe(400);
  });

  it('are never more than all that wait', () => {
    expect(dialledUntilLast(10, 150, { ahead: 90, share: 0.25 })).toBe(160);
  });

  it('are never fewer than those of its own queue, and never more than all', () => {
    const count = fc.integer({ min: 0, max: 1_000_000 });
    fc.assert(
      fc.property(count, count, count, fc.integer({ min: 1, max: 100 }), (calls, ahead, others, parts) => {
        const dialled = dialledUntilLast(calls, ahead + others, { ahead, share: 1 / parts });
        expect(dialled).toBeGreaterThanOrEqual(ahead + calls);
        expect(dialled).toBeLessThanOrEqual(ahead + others + calls);
      }),
    );
  });
});
