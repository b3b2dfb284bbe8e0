import { afterEach, beforeEach, expect, it } from 'vitest';
import { type DialerFixture, openDialerFixture } from '../../test/support/dialer-fixture.ts';
import { AppError } from '../domain/app-error.ts';
import type { Store } from '../domain/store-port.ts';

let line: DialerFixture;
let failure: Error | null;
let failures: number;
beforeEach(async () => {
  line = await openDialerFixture();
  failure = null;
  failures = 0;
});
afterEach(() => line.close());

const failing = (): Store => ({
  ...line.store,
  transact: (work) => {
    if (!failure) return line.store.transact(work);
    failures += 1;
    return Promise.reject(failure);
  },
});

const untilFailures = async (count: number): Promise<void> => {
  while (failures < count) await new Promise(setImmediate);
};

/** The record of a call that rang, and is answered and ended with `failure`, thirty seconds before the store is back. */
const recordOf = async (what: Error) => {
  await line.acceptBlast('1', ['sip:a@127.0.0.1']);
  line.dialerOf({ store: failing() }).start();
  await line.dialledCalls(1);
  const [call] = line.dialled;
  failure = what;
  call?.progress({ kind: 'ringing', dialog: null });
  call?.progress({ kind: 'answered', codec: 'PCMU', dialog: 'how to end it' });
  call?.end('hung_up');
  await untilFailures(1);
  line.clock.lateMs = 30_000;
  return {
    async whenBack() {
      failure = null;
      // Timers of the retries, of which each is set when the one before has been tried.
      while ((await line.outcomesOf('1'))[0] === null) {
        await new Promise(setImmediate);
        for (const timer of line.timers.splice(0)) timer.wake();
      }
      return (await line.store.view((views) => views.findBlast('1')))?.calls[0]?.attempts[0];
    },
  };
};

it('what happened while the store was away is written afterwards, in order, with the times at which it happened', async () => {
  const { whenBack } = await recordOf(new AppError('store_unavailable', 'away'));
  const attempt = await whenBack();
  expect(attempt).toMatchObject({ codec: 'PCMU', ringingAt: expect.any(Number), answeredAt: expect.any(Number) });
  // By the database's clock no time has passed meanwhile: what happened 30 s ago was before the call was dialled.
  for (const at of [attempt?.ringingAt, attempt?.answeredAt, attempt?.endedAt])
    expect((attempt?.dialledAt ?? 0) - (at ?? 0)).toBeGreaterThan(20_000);
});

it('what cannot be written for another reason does not hold up the outcome', async () => {
  const { whenBack } = await recordOf(new Error('a mistake of ours'));
  expect(await whenBack()).toMatchObject({ ringingAt: null, endedAt: expect.any(Number) });
});
