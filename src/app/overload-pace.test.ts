import { expect, it } from 'vitest';
import { createOverloadPace } from './overload-pace.ts';

const paceAt = (clock: { nowMs: number }) => createOverloadPace(() => clock.nowMs);

it('is known when calls were held back, and due, for a minute', () => {
  const clock = { nowMs: 500 };
  const pace = paceAt(clock);
  expect(pace.callsPerMinute()).toBeNull();
  pace.noteHeld();
  clock.nowMs += 30_000;
  pace.noteHeld();
  clock.nowMs += 29_999;
  expect(pace.callsPerMinute()).toBeNull();
  clock.nowMs += 1;
  expect(pace.callsPerMinute()).toBe(0);
});

it('is unknown again once nothing is due', () => {
  const clock = { nowMs: 0 };
  const pace = paceAt(clock);
  pace.noteHeld();
  clock.nowMs = 70_000;
  pace.noteNothingDue();
  expect(pace.callsPerMinute()).toBeNull();
  pace.noteHeld();
  clock.nowMs = 129_999;
  expect(pace.callsPerMinute()).toBeNull();
});

it('counts the calls of the last minute, second by second', () => {
  const clock = { nowMs: 0 };
  const pace = paceAt(clock);
  pace.noteHeld();
  pace.noteDialled(5);
  clock.nowMs = 30_000;
  pace.noteDialled(2);
  pace.noteDialled(1);
  clock.nowMs = 60_000;
  expect(pace.callsPerMinute()).toBe(3);
  clock.nowMs = 89_999;
  expect(pace.callsPerMinute()).toBe(3);
  clock.nowMs = 90_000;
  expect(pace.callsPerMinute()).toBe(0);
});

it('forgets all when nobody asked for long', () => {
  const clock = { nowMs: 0 };
  const pace = paceAt(clock);
  pace.noteHeld();
  for (let second = 0; second < 60; second++) {
    clock.nowMs = second * 1000;
    pace.noteDialled(1);
  }
  clock.nowMs = 60_000;
  expect(pace.callsPerMinute()).toBe(59);
  clock.nowMs = 10_000_000;
  expect(pace.callsPerMinute()).toBe(0);
});
