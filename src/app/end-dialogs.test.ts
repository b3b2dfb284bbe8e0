import { expect, it } from 'vitest';
import { QUIET_LOG } from '../../test/support/quiet-log.ts';
import { createVirtualClock } from '../../test/support/virtual-clock.ts';
import type { LeftDialog, Store, Transaction } from '../domain/store-port.ts';
import { createDialogEnder } from './end-dialogs.ts';

const dialogs = (count: number): LeftDialog[] =>
  Array.from({ length: count }, (_, at) => ({
    attemptId: `${at}`,
    sipCallId: `call-${at}`,
    dialog: at === 0 ? 'its dialog' : null,
  }));

const forgotten: string[] = [];
const store: Pick<Store, 'transact'> = {
  transact: (work) => work({ forgetDialog: async (attemptId) => void forgotten.push(attemptId) } as Transaction),
};

it('ends what was taken over before and after its start, one after another, and goes on after one that fails', async () => {
  const clock = createVirtualClock();
  const ended: string[] = [];
  const ender = createDialogEnder({ store, wakeAfter: clock.wakeAfter, log: QUIET_LOG });
  ender.add(dialogs(2));
  await clock.runOut();
  expect(ended).toEqual([]);
  ender.start(async ({ sipCallId }) => {
    ended.push(`${clock.nowMs} ${sipCallId}`);
    if (ended.length === 1) throw new Error('the peer is gone');
  });
  ender.add(dialogs(1));
  await clock.runOut();
  expect(ended).toEqual(['0 call-0', '10 call-1', '20 call-0']);
  // What could not be ended stays for the next who takes over; of what has no dialog nothing is kept.
  expect(forgotten).toEqual(['0']);
});

it('forgets what is beyond its bound, and ends nothing once stopped', async () => {
  const clock = createVirtualClock();
  let ended = 0;
  const ender = createDialogEnder({ store, wakeAfter: clock.wakeAfter, log: QUIET_LOG });
  ender.add(dialogs(30_000));
  ender.start(async () => {
    ended += 1;
  });
  await clock.runOut();
  expect(ended).toBe(20_000);
  ender.stop();
  ender.add(dialogs(1));
  await clock.runOut();
  expect(ended).toBe(20_000);
});
