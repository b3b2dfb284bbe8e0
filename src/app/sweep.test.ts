import { expect, it } from 'vitest';
import { QUIET_LOG } from '../../test/support/quiet-log.ts';
import { createVirtualClock } from '../../test/support/virtual-clock.ts';
import type { Store, Transaction } from '../domain/store-port.ts';
import { startSweep } from './sweep.ts';

const start = (drop: () => Promise<number>) => {
  const clock = createVirtualClock();
  const store = { transact: async (work) => work({} as Transaction) } as Store;
  const stop = startSweep({ store, wakeAfter: clock.wakeAfter, log: QUIET_LOG, what: 'things', drop });
  return { clock, stop };
};

it('sweeps every minute, and again after a rest for as long as there is something to drop', async () => {
  const parts = [500, 500, 3, 0, 0];
  const { clock, stop } = start(async () => parts.shift() ?? Number.NaN);
  await clock.advance(59_999);
  expect(parts).toHaveLength(5);
  await clock.advance(1);
  expect(parts).toHaveLength(4);
  await clock.advance(300);
  expect(parts).toHaveLength(1);
  await clock.advance(60_000);
  expect(parts).toEqual([]);
  stop();
  expect(clock.waiting).toBe(0);
});

it('tries again in a minute if the store fails', async () => {
  let tries = 0;
  const { clock, stop } = start(async () => {
    tries += 1;
    throw new Error('gone');
  });
  await clock.advance(120_000);
  expect(tries).toBe(2);
  stop();
});
