import { expect, it } from 'vitest';
import { QUIET_LOG } from '../../test/support/quiet-log.ts';
import { createVirtualClock } from '../../test/support/virtual-clock.ts';
import type { TraceLimits } from '../domain/sip-trace.ts';
import type { Store, Transaction } from '../domain/store-port.ts';
import { startSipTraceSweep } from './sweep-sip-traces.ts';

const start = (drop: (limits: TraceLimits) => Promise<number>) => {
  const clock = createVirtualClock();
  const store = { transact: async (work) => work({ dropOldSipMessages: drop } as Transaction) } as Store;
  const stop = startSipTraceSweep({ store, wakeAfter: clock.wakeAfter, log: QUIET_LOG, keepForMs: 1, maxBytes: 2 });
  return { clock, stop };
};

it('drops messages every minute, a part at a time, until nothing is too old', async () => {
  const seen: TraceLimits[] = [];
  let old = 1100;
  const { clock, stop } = start(async (limits) => {
    seen.push(limits);
    const dropped = Math.min(old, limits.atMost);
    old -= dropped;
    return dropped;
  });
  await clock.advance(59_999);
  expect(seen).toEqual([]);
  await clock.advance(1);
  expect([seen.length, old]).toEqual([3, 0]);
  expect(seen[0]).toEqual({ keepForMs: 1, maxBytes: 2, atMost: 500 });
  await clock.advance(60_000);
  expect(seen).toHaveLength(4);
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
