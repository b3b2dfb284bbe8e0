import { expect, it } from 'vitest';
import { QUIET_LOG } from '../../test/support/quiet-log.ts';
import type { WakeAfter } from '../domain/ports.ts';
import type { Store } from '../domain/store-port.ts';
import { startUploadSweep } from './sweep-uploads.ts';

it('sweeps every minute, also after a store that was gone, until it is stopped', async () => {
  const alarms: { delayMs: number; wake: () => void; set: boolean }[] = [];
  let onAlarm = (): void => {};
  const wakeAfter: WakeAfter = (delayMs, wake) => {
    const alarm = { delayMs, wake, set: true };
    alarms.push(alarm);
    onAlarm();
    return () => {
      alarm.set = false;
    };
  };
  let steps = 0;
  const store = {
    transact: async () => {
      steps += 1;
      if (steps === 1) throw new Error('gone');
      return 1;
    },
  } as unknown as Store;
  const stop = startUploadSweep({ store, wakeAfter, log: QUIET_LOG });
  // The first sweep ends at its first step, the others have two.
  for (const seen of [1, 3, 5]) {
    const next = new Promise<void>((resolve) => {
      onAlarm = resolve;
    });
    alarms.at(-1)?.wake();
    await next;
    expect(steps).toBe(seen);
  }
  expect(alarms.map(({ delayMs }) => delayMs)).toEqual([60_000, 60_000, 60_000, 60_000]);
  stop();
  expect(alarms.at(-1)?.set).toBe(false);
});
