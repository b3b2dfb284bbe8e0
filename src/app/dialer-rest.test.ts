import { expect, it } from 'vitest';
import { openDialerFixture } from '../../test/support/dialer-fixture.ts';
import { NO_METRICS } from '../../test/support/no-metrics.ts';
import { QUIET_LOG } from '../../test/support/quiet-log.ts';
import { sharedRenditions } from '../../test/support/renditions.ts';
import { AppError } from '../domain/app-error.ts';
import type { PlaylistItem } from '../domain/blast.ts';
import type { ClipAudio } from '../domain/call.ts';
import type { Store } from '../domain/store-port.ts';

/** A dialer fixture that counts its units of work. */
const openCounted = async () => {
  const line = await openDialerFixture();
  const units = { begun: 0 };
  const store: Store = {
    ...line.store,
    transact(work) {
      units.begun += 1;
      return line.store.transact(work);
    },
  };
  const timerWith = async (isWanted: (delayMs: number) => boolean) => {
    for (;;) {
      const timer = line.timers.find(({ delayMs }) => isWanted(delayMs));
      if (timer) return timer;
      await new Promise(setImmediate);
    }
  };
  return { line, units, store, timerWith };
};

it('a full dialer claims at once for what is accepted meanwhile, and then rests between claims', async () => {
  const { line, units, store, timerWith } = await openCounted();
  await line.acceptBlast('1', ['sip:a@127.0.0.1', 'sip:b@127.0.0.1']);
  const dialer = line.dialerOf({ maxConcurrentCalls: 1, store });
  dialer.start();
  await line.dialledCalls(1);
  const acceptThree = async (): Promise<void> => {
    await timerWith((delayMs) => delayMs > 50);
    for (let accepted = 0; accepted < 3; accepted++) dialer.wake();
  };
  await acceptThree();
  await acceptThree();
  const rest = await timerWith((delayMs) => delayMs === 50);
  const claimed = units.begun;
  dialer.wake();
  expect(units.begun).toBe(claimed);
  rest.wake();
  expect(units.begun).toBe(claimed + 1);
  line.dialled[0]?.end('busy');
  await dialer.drain(1000);
  await line.close();
});

it('claims nothing for a call that ended while slots are given out far ahead: the next look is soon enough', async () => {
  const { line, units, store, timerWith } = await openCounted();
  const ended = Promise.withResolvers<number>();
  const metrics = { ...NO_METRICS, noteOutcome: () => ended.resolve(units.begun) };
  await line.acceptBlast('1', ['sip:a@127.0.0.1', 'sip:b@127.0.0.1']);
  const claimEarly: Store['transact'] = async (work) => {
    const value = await store.transact(work);
    line.clock.lateMs = -10_000;
    return value;
  };
  const dialer = line.dialerOf({ maxConcurrentCalls: 1, store: { ...store, transact: claimEarly }, metrics });
  dialer.start();
  const look = await timerWith((delayMs) => delayMs === 100);
  (await timerWith((delayMs) => delayMs > 100)).wake();
  await line.dialledCalls(1);
  line.dialled[0]?.end('completed');
  const before = await ended.promise;
  await new Promise(setImmediate);
  expect(units.begun).toBe(before);
  look.wake();
  expect(units.begun).toBe(before + 1);
  await line.dialledCalls(2);
  line.dialled[1]?.end('completed');
  await dialer.drain(1000);
  await line.close();
});

it('claims no more than there are ports for, says so once a minute, and loses no call over it', async () => {
  const line = await openDialerFixture();
  await line.acceptBlast('1', ['sip:a@127.0.0.1', 'sip:b@127.0.0.1', 'sip:c@127.0.0.1']);
  const warnings: string[] = [];
  const log = { ...QUIET_LOG, warn: (_: object, message: string) => void warnings.push(message) };
  let capacity = 0;
  const dialer = line.dialerOf({ capacity: () => capacity, log });
  const look = async (): Promise<void> => {
    while (line.timers.length === 0) await new Promise(setImmediate);
    line.timers.shift()?.wake();
  };
  dialer.start();
  await look();
  capacity = 1;
  await look();
  await line.dialledCalls(1);
  line.dialled[0]?.end('busy');
  await line.dialledCalls(2);
  capacity = 2;
  await look();
  await line.dialledCalls(3);
  for (const { end } of line.dialled.slice(1)) end('busy');
  await line.finished('1');
  expect(warnings).toEqual([
    'no RTP port is free: calls wait until one has rested for a minute, widen RINGCAST_RTP_PORTS',
  ]);
  await dialer.drain(1000);
  await line.close();
});

it('lets calls wait whose clips the store does not give at this time, and dials them then', async () => {
  const line = await openDialerFixture();
  await line.acceptBlast('1', ['sip:a@127.0.0.1', 'sip:b@127.0.0.1']);
  let isAway = true;
  const renditions = sharedRenditions(() => new SharedArrayBuffer(1));
  const load = async ({ mediaId }: PlaylistItem): Promise<ClipAudio> => {
    if (isAway) throw new AppError('store_unavailable', 'The database is away.');
    return { key: 'greeting', mediaId, frameCount: 1, renditions };
  };
  const dialer = line.dialerOf({ clips: { load } });
  const tries = async (count: number) => {
    const set = () => line.timers.filter(({ delayMs }) => delayMs === 1000);
    while (set().length < count) await new Promise(setImmediate);
    return set();
  };
  dialer.start();
  for (const { wake } of await tries(2)) wake();
  const again = (await tries(4)).slice(2);
  isAway = false;
  for (const { wake } of again) wake();
  await line.dialledCalls(2);
  for (const { end } of line.dialled) end('completed');
  await line.finished('1');
  await dialer.drain(1000);
  await line.close();
});
