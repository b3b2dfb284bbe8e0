import { expect, test } from 'vitest';
import { NO_METRICS } from '../../test/support/no-metrics.ts';
import { QUIET_LOG } from '../../test/support/quiet-log.ts';
import type { SettledPart, Store, Transaction, Views } from '../domain/store-port.ts';
import { startSettlingBlasts } from './settle-blasts.ts';

/** A store that has so many parts to settle, and attempts that were cancelled elsewhere. */
const open = (parts: SettledPart[], isShared: boolean) => {
  const timers: { delayMs: number; wake: () => void }[] = [];
  const cancelled: string[] = [];
  const ended: number[] = [];
  let wakes = 0;
  let isAway = false;
  const settleBlast = async (): Promise<SettledPart> => {
    if (isAway) throw new Error('away');
    return parts.shift() ?? { isMore: false, endedCalls: 0 };
  };
  const store = {
    isShared,
    transact: <T>(work: (tx: Transaction) => Promise<T>) => work({ settleBlast } as Transaction),
    view: <T>(work: (views: Views) => Promise<T>) =>
      work({ listCancelledAttempts: async () => ['a-1-1'] } as unknown as Views),
  } as Store;
  const settling = startSettlingBlasts({
    store,
    dialer: { wake: () => void wakes++, cancel: (ids) => void cancelled.push(...ids) },
    wakeAfter: (delayMs, wake) => {
      const timer = { delayMs, wake };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), timers.includes(timer) ? 1 : 0);
    },
    metrics: { ...NO_METRICS, noteEndedUndialled: (_, calls) => void (calls > 0 && ended.push(calls)) },
    log: QUIET_LOG,
  });
  const idle = async () => {
    while (timers.length === 0) await new Promise(setImmediate);
  };
  return { settling, timers, cancelled, ended, idle, wakes: () => wakes, setAway: (away: boolean) => (isAway = away) };
};

test('settles part by part, wakes the dialer for each, notes what ended, and looks again in a second', async () => {
  const more = { isMore: true, endedCalls: 500 };
  const { idle, timers, wakes, ended, cancelled } = open([more, { ...more, endedCalls: 0 }, more], false);
  await idle();
  expect([wakes(), ended, cancelled, timers.map(({ delayMs }) => delayMs)]).toEqual([3, [500, 500], [], [1000]]);
});

test('on a shared database hangs up what another node has cancelled', async () => {
  const { idle, cancelled } = open([], true);
  await idle();
  expect(cancelled).toEqual(['a-1-1']);
});

test('goes on after the store was away, and not once it is stopped', async () => {
  const parts: SettledPart[] = [];
  const { settling, idle, timers, wakes, setAway } = open(parts, false);
  await idle();
  setAway(true);
  parts.push({ isMore: true, endedCalls: 0 });
  timers.shift()?.wake();
  await idle();
  expect(wakes()).toBe(0);
  setAway(false);
  timers.shift()?.wake();
  await idle();
  expect(wakes()).toBe(1);
  settling.stop();
  settling.wake();
  expect(timers).toEqual([]);
});

test('looks once at what is accepted within a moment', async () => {
  const { settling, idle, timers } = open([], false);
  await idle();
  for (let blasts = 0; blasts < 3; blasts++) settling.wake();
  expect(timers.map(({ delayMs }) => delayMs)).toEqual([50]);
  timers.shift()?.wake();
  await idle();
  expect(timers.map(({ delayMs }) => delayMs)).toEqual([1000]);
});
