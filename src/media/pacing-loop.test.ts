import { describe, expect, it } from 'vitest';
import { createPacingLoop, type PacedCall } from './pacing-loop.ts';

/** A clock that moves only when it is told to; one timer is enough for one loop. */
const makeClock = () => {
  let nowMs = 0;
  let timer: { atMs: number; wake: () => void } | null = null;
  return {
    now: () => nowMs,
    wakeAfter: (delayMs: number, wake: () => void) => {
      const set = { atMs: nowMs + delayMs, wake };
      timer = set;
      return () => {
        if (timer === set) timer = null;
      };
    },
    isSet: () => timer !== null,
    /** Runs to the next deadline, and wakes `lateMs` after it. */
    runOne(lateMs = 0) {
      if (timer === null) throw new Error('No timer is set.');
      const { atMs, wake } = timer;
      timer = null;
      nowMs = atMs + lateMs;
      wake();
    },
  };
};

/** Due every `periodMs` from `startMs` on, `times` times; notes when it was stepped. */
const makeCall = (startMs: number, periodMs: number, times: number) => {
  const steppedAtMs: number[] = [];
  const call: PacedCall = {
    get dueMs() {
      return startMs + steppedAtMs.length * periodMs;
    },
    step(nowMs) {
      steppedAtMs.push(nowMs);
      return steppedAtMs.length < times;
    },
  };
  return { call, steppedAtMs };
};

describe('the pacing loop', () => {
  it('steps a call at once and then at its deadlines, and rests when it is done', () => {
    const clock = makeClock();
    const loop = createPacingLoop(clock.now, clock.wakeAfter);
    const { call, steppedAtMs } = makeCall(0, 20, 3);
    loop.add(call);
    expect(steppedAtMs).toEqual([0]);
    while (clock.isSet()) clock.runOne();
    expect(steppedAtMs).toEqual([0, 20, 40]);
  });

  it('wakes for the earliest of all calls', () => {
    const clock = makeClock();
    const loop = createPacingLoop(clock.now, clock.wakeAfter);
    const [slow, quick] = [makeCall(0, 50, 3), makeCall(0, 20, 5)];
    loop.add(slow.call);
    loop.add(quick.call);
    while (clock.isSet()) clock.runOne();
    expect([slow.steppedAtMs, quick.steppedAtMs]).toEqual([
      [0, 50, 100],
      [0, 20, 40, 60, 80],
    ]);
  });

  it('lets no lateness add up, and steps a call once a wake-up however late that is', () => {
    const clock = makeClock();
    const loop = createPacingLoop(clock.now, clock.wakeAfter);
    const { call, steppedAtMs } = makeCall(0, 20, 5);
    loop.add(call);
    clock.runOne(3);
    clock.runOne(30);
    expect(steppedAtMs).toEqual([0, 23, 70]);
    clock.runOne();
    clock.runOne(2);
    expect(steppedAtMs).toEqual([0, 23, 70, 70, 82]);
  });

  it('leaves a removed call alone', () => {
    const clock = makeClock();
    const loop = createPacingLoop(clock.now, clock.wakeAfter);
    const [gone, stays] = [makeCall(0, 20, 9), makeCall(0, 20, 2)];
    loop.add(gone.call);
    loop.add(stays.call);
    loop.remove(gone.call);
    while (clock.isSet()) clock.runOne();
    expect([gone.steppedAtMs, stays.steppedAtMs]).toEqual([[0], [0, 20]]);
  });
});
