import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PlayoutStep, playoutDueMs, startPlayout, stepPlayout } from './playout.ts';

type Sent = Extract<PlayoutStep, { kind: 'send' }> & { readonly atMs: number };

/** Plays to the end, waking `lateness(n)` ms after each deadline. */
const playOut = (frameCounts: readonly number[], startMs: number, lateness: (wake: number) => number) => {
  const sent: Sent[] = [];
  let playout = startPlayout(frameCounts, startMs);
  for (let wake = 0; ; wake += 1) {
    const atMs = playoutDueMs(playout) + lateness(wake);
    const step = stepPlayout(frameCounts, playout, atMs);
    if (step.kind === 'over') return { sent, overAtMs: atMs };
    if (step.kind === 'wait') throw new Error('Nothing was due at the deadline.');
    sent.push({ ...step, atMs });
    playout = step.next;
  }
};

const inTime = () => 0;

describe('playout', () => {
  it('sends the first frame at once and one every 20 ms, clips back to back', () => {
    const { sent, overAtMs } = playOut([2, 0, 1], 1_000, inTime);
    expect(
      sent.map(({ atMs, clip, frame, timestampOffset, marker }) => [atMs, clip, frame, timestampOffset, marker]),
    ).toEqual([
      [1_000, 0, 0, 0, true],
      [1_020, 0, 1, 160, false],
      [1_040, 2, 0, 320, false],
    ]);
    expect(overAtMs).toBe(1_060);
  });

  it('is over at once when there is nothing to play', () => {
    expect(playOut([], 5, inTime)).toEqual({ sent: [], overAtMs: 5 });
    expect(playOut([0, 0], 5, inTime)).toEqual({ sent: [], overAtMs: 5 });
  });

  it('waits until a slot begins', () => {
    const first = stepPlayout([2], startPlayout([2], 100), 100);
    if (first.kind !== 'send') throw new Error('The first frame was not due.');
    expect(stepPlayout([2], first.next, 119.99)).toEqual({ kind: 'wait', untilMs: 120 });
  });

  it('does not let lateness add up', () => {
    const { sent } = playOut(Array.of(500), 0, () => 14.9);
    expect(sent.at(-1)).toMatchObject({ frame: 499, timestampOffset: 499 * 160, marker: false });
    expect(sent.at(-1)?.atMs).toBeCloseTo(499 * 20 + 14.9);
  });

  it('catches up 5 ms apart after a wake-up that was a few slots late, without a gap', () => {
    const { sent } = playOut([6], 0, (wake) => (wake === 1 ? 45 : 0));
    expect(sent.map(({ atMs, frame, timestampOffset, marker }) => [atMs, frame, timestampOffset, marker])).toEqual([
      [0, 0, 0, true],
      [65, 1, 160, false],
      [70, 2, 320, false],
      [75, 3, 480, false],
      [80, 4, 640, false],
      [100, 5, 800, false],
    ]);
  });

  it('resumes with the same frame after a stall', () => {
    const { sent, overAtMs } = playOut([3], 0, (wake) => (wake === 1 ? 105 : 0));
    expect(sent.map(({ atMs, frame, timestampOffset, marker }) => [atMs, frame, timestampOffset, marker])).toEqual([
      [0, 0, 0, true],
      [125, 1, 960, true],
      [140, 2, 1120, false],
    ]);
    expect(overAtMs).toBe(160);
  });

  it('plays every frame once, in order, with true timestamps, however late the wake-ups are', () => {
    const clips = fc.array(fc.nat(12), { maxLength: 6 });
    const delays = fc.infiniteStream(fc.oneof(fc.constant(0), fc.double({ min: 0, max: 200, noNaN: true })));
    fc.assert(
      fc.property(clips, fc.integer({ min: 0, max: 1e9 }), delays, (frameCounts, startMs, late) => {
        const { sent } = playOut(frameCounts, startMs, () => late.next().value ?? 0);
        const wanted = frameCounts.flatMap((count, clip) => Array.from({ length: count }, (_, frame) => [clip, frame]));
        expect(sent.map(({ clip, frame }) => [clip, frame])).toEqual(wanted);
        for (const [n, packet] of sent.entries()) {
          const slots = packet.timestampOffset / 160;
          const gap = slots - (n === 0 ? 0 : (sent[n - 1]?.timestampOffset ?? 0) / 160);
          expect(Number.isInteger(slots)).toBe(true);
          const slotBeginMs = startMs + slots * 20;
          expect(packet.atMs).toBeGreaterThanOrEqual(slotBeginMs);
          expect(packet.atMs).toBeLessThan(slotBeginMs + 100);
          expect(packet.atMs - (sent[n - 1]?.atMs ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(5 - 1e-6);
          expect(packet.marker).toBe(n === 0 || gap > 1);
          expect(n === 0 || gap >= 1).toBe(true);
        }
      }),
    );
  });
});
