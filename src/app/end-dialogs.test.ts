import { expect, it } from 'vitest';
import { QUIET_LOG } from '../../test/support/quiet-log.ts';
import { createVirtualClock } from '../../test/support/virtual-clock.ts';
import type { LeftDialog, Store, Transaction, Views } from '../domain/store-port.ts';
import { createDialogEnder } from './end-dialogs.ts';

const dialogs = (count: number): LeftDialog[] =>
  Array.from({ length: count }, (_, at) => ({
    attemptId: `${at}`,
    sipCallId: `call-${at}`,
    trunkId: at === 1 ? 'a trunk' : null,
    dialog: at === 0 ? 'its dialog' : null,
  }));

const forgotten: string[] = [];
const CREDENTIALS = { username: 'us', password: 'secret' };
const TRUNK = { id: 'a trunk', host: 'sip.example', port: null, transport: 'udp', hasPassword: true };
const store = {
  transact: (work: (tx: Transaction) => unknown) =>
    work({ forgetDialog: async (attemptId: string) => void forgotten.push(attemptId) } as Transaction),
  view: (read: (views: Views) => unknown) =>
    read({ findTrunk: async () => TRUNK, findTrunkCredentials: async () => CREDENTIALS } as unknown as Views),
} as Pick<Store, 'transact' | 'view'>;

it('ends what was taken over before and after its start, one after another, and goes on after one that fails', async () => {
  const clock = createVirtualClock();
  const ended: string[] = [];
  const ender = createDialogEnder({ store, wakeAfter: clock.wakeAfter, log: QUIET_LOG });
  ender.add(dialogs(2));
  await clock.runOut();
  expect(ended).toEqual([]);
  ender.start(async ({ sipCallId, trunk }) => {
    ended.push(`${clock.nowMs} ${sipCallId} ${trunk?.credentials?.username ?? 'nobody'}`);
    if (ended.length === 1) throw new Error('the peer is gone');
  });
  ender.add(dialogs(1));
  await clock.runOut();
  expect(ended).toEqual(['0 call-0 nobody', '10 call-1 us', '20 call-0 nobody']);
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
