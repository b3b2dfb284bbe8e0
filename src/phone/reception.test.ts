import { describe, expect, it } from 'vitest';
import { ReceptionCounter } from './reception.ts';

const packet = (extended: number, kind: 'next' | 'late' | 'duplicate' = 'next') => ({ extended, kind });

describe('the reception of a stream', () => {
  it('of nothing is nothing', () => {
    expect(new ReceptionCounter(5).read()).toEqual({
      packets: 0,
      lost: 0,
      duplicates: 0,
      outOfOrder: 0,
      jitterMs: 0,
      firstPacketAfterMs: null,
    });
  });

  it('counts what came, what did not, and what came wrongly', () => {
    const counter = new ReceptionCounter(1_000);
    counter.count(packet(70_000), 0, 1_007);
    counter.count(packet(70_003), 480, 1_067);
    counter.count(packet(70_001, 'late'), 160, 1_068);
    counter.count(packet(70_001, 'duplicate'), 160, 1_069);
    expect(counter.read()).toMatchObject({
      packets: 3,
      lost: 1,
      duplicates: 1,
      outOfOrder: 1,
      firstPacketAfterMs: 7,
    });
  });

  it('knows no jitter while packets take equally long', () => {
    const counter = new ReceptionCounter(0);
    for (const [i, offset] of [0, 160, 320, 960].entries()) counter.count(packet(i), offset, 50 + offset / 8);
    expect(counter.read().jitterMs).toBe(0);
  });

  it('smooths jitter as RFC 3550 A.8 does', () => {
    const counter = new ReceptionCounter(0);
    counter.count(packet(0), 0, 0);
    counter.count(packet(1), 160, 36);
    expect(counter.read().jitterMs).toBe(1);
    counter.count(packet(2), 320, 40);
    expect(counter.read().jitterMs).toBe(1 + (16 - 1) / 16);
  });
});
