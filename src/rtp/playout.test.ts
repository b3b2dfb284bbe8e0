import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  advancePlayout,
  createPlayouts,
  isPlayedOut,
  type Playouts,
  playoutDueMs,
  resumePlayout,
  skipStall,
  startPlayout,
} from './playout.ts';

const ROW = 1;
/** Of a packet, here as mostly. */
const SLOTS = 2;

const lengthsOf = (frameCounts: readonly number[]): readonly number[] => frameCounts.map((count) => count * SLOTS);

/** Takes the packet that is due at `nowMs`; frames and slots are counted in 20 ms. */
const takeFrame = (table: Playouts, frameCounts: readonly number[], nowMs: number) => {
  skipStall(table, ROW, nowMs);
  const sent = {
    atMs: nowMs,
    clip: table.clip[ROW] ?? -1,
    frame: (table.place[ROW] ?? -1) / SLOTS,
    slot: (table.slot[ROW] ?? -1) / SLOTS,
    marker: table.marker[ROW] === 1,
  };
  advancePlayout(table, ROW, lengthsOf(frameCounts), SLOTS, nowMs);
  return sent;
};

/** Plays to the end, waking `lateness(n)` ms after each deadline. */
const playOut = (frameCounts: readonly number[], startMs: number, lateness: (wake: number) => number) => {
  const sent: ReturnType<typeof takeFrame>[] = [];
  const table = createPlayouts(3);
  startPlayout(table, ROW, lengthsOf(frameCounts), startMs);
  for (let wake = 0; ; wake += 1) {
    const atMs = playoutDueMs(table, ROW) + lateness(wake);
    if (isPlayedOut(table, ROW, lengthsOf(frameCounts))) return { sent, overAtMs: atMs };
    sent.push(takeFrame(table, frameCounts, atMs));
  }
};

const inTime = () => 0;

describe('playout', () => {
  it('sends the first frame at once and one every 20 ms, clips back to back', () => {
    const { sent, overAtMs } = playOut([2, 0, 1], 1_000, inTime);
    expect(sent.map(({ atMs, clip, frame, slot, marker }) => [atMs, clip, frame, slot, marker])).toEqual([
      [1_000, 0, 0, 0, true],
      [1_020, 0, 1, 1, false],
      [1_040, 2, 0, 2, false],
    ]);
    expect(overAtMs).toBe(1_060);
  });

  it('is over at once when there is nothing to play', () => {
    expect(playOut([], 5, inTime)).toEqual({ sent: [], overAtMs: 5 });
    expect(playOut([0, 0], 5, inTime)).toEqual({ sent: [], overAtMs: 5 });
  });

  it('does not let lateness add up', () => {
    const { sent } = playOut(Array.of(500), 0, () => 14.9);
    expect(sent.at(-1)).toMatchObject({ frame: 499, slot: 499, marker: false });
    expect(sent.at(-1)?.atMs).toBeCloseTo(499 * 20 + 14.9);
  });

  it('catches up 5 ms apart after a wake-up that was a few slots late, without a gap', () => {
    const { sent } = playOut([6], 0, (wake) => (wake === 1 ? 45 : 0));
    expect(sent.map(({ atMs, frame, slot, marker }) => [atMs, frame, slot, marker])).toEqual([
      [0, 0, 0, true],
      [65, 1, 1, false],
      [70, 2, 2, false],
      [75, 3, 3, false],
      [80, 4, 4, false],
      [100, 5, 5, false],
    ]);
  });

  it('resumes with the same frame after a stall', () => {
    const { sent, overAtMs } = playOut([3], 0, (wake) => (wake === 1 ? 105 : 0));
    expect(sent.map(({ atMs, frame, slot, marker }) => [atMs, frame, slot, marker])).toEqual([
      [0, 0, 0, true],
      [125, 1, 6, true],
      [140, 2, 7, false],
    ]);
    expect(overAtMs).toBe(160);
  });

  it('goes on after a hold with the frame that was next, in the slot that begins next', () => {
    const table = createPlayouts(3);
    startPlayout(table, ROW, lengthsOf([3]), 0);
    takeFrame(table, [3], 0);
    resumePlayout(table, ROW, 5_003);
    expect(playoutDueMs(table, ROW)).toBe(5_010);
    expect(takeFrame(table, [3], 5_011)).toMatchObject({ frame: 1, slot: 250.5, marker: true });
    expect([playoutDueMs(table, ROW), table.marker[ROW]]).toEqual([5_030, 0]);
  });

  it('does not notice a hold that was over before the next frame was due', () => {
    const table = createPlayouts(3);
    startPlayout(table, ROW, lengthsOf([3]), 0);
    takeFrame(table, [3], 0);
    resumePlayout(table, ROW, 19);
    expect([playoutDueMs(table, ROW), table.slot[ROW], table.marker[ROW]]).toEqual([20, SLOTS, 0]);
  });

  it('sends packets of any length one behind the other, cut at the end of a clip', () => {
    const table = createPlayouts(3);
    const lengths = [8, 2];
    startPlayout(table, ROW, lengths, 0);
    const sent: number[][] = [];
    for (const slots of [6, 2, 2]) {
      sent.push([playoutDueMs(table, ROW), table.clip[ROW] ?? -1, table.place[ROW] ?? -1]);
      advancePlayout(table, ROW, lengths, slots, playoutDueMs(table, ROW));
    }
    expect(sent).toEqual([
      [0, 0, 0],
      [60, 0, 6],
      [80, 1, 0],
    ]);
    expect([isPlayedOut(table, ROW, lengths), playoutDueMs(table, ROW)]).toEqual([true, 100]);
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
          const gap = packet.slot - (sent[n - 1]?.slot ?? 0);
          const slotBeginMs = startMs + packet.slot * 20;
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
