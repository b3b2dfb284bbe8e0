import { expect, it } from 'vitest';
import { openDialerFixture } from '../../test/support/dialer-fixture.ts';
import type { Store } from '../domain/store-port.ts';

it('a full dialer claims at once for what is accepted meanwhile, and then rests between claims', async () => {
  const line = await openDialerFixture();
  let units = 0;
  const store: Store = {
    ...line.store,
    transact(work) {
      units += 1;
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
  const claimed = units;
  dialer.wake();
  expect(units).toBe(claimed);
  rest.wake();
  expect(units).toBe(claimed + 1);
  line.dialled[0]?.end('busy');
  await dialer.drain(1000);
  await line.close();
});
