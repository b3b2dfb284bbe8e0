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
  let sweeps = 0;
  const store = {
    transact: async () => {
      sweeps += 1;
      if (sweeps === 1) throw new Error('gone');
      return 1;
    },
  } as unknown as Store;
  const stop = startUploadSweep({ store, wakeAfter, log: QUIET_LOG });
  for (let n = 1; n <= 3; n += 1) {
    const next = new Promise<void>((resolve) => {
      onAlarm = resolve;
    });
    alarms.at(-1)?.wake();
    await next;
    expect(sweeps).toBe(n);
  }
  expect(alarms.map(({ delayMs }) => delayMs)).toEqual([60_000, 60_000, 60_000, 60_000]);
  stop();
  expect(alarms.at(-1)?.set).toBe(false);
});
