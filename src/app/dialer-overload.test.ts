import { afterEach, beforeEach, expect, it } from 'vitest';
import { type DialerFixture, openDialerFixture } from '../../test/support/dialer-fixture.ts';

let line: DialerFixture;
beforeEach(async () => {
  line = await openDialerFixture();
});
afterEach(() => line.close());

const untilTimer = async (): Promise<void> => {
  while (line.timers.length === 0) await new Promise(setImmediate);
};

it('tells how fast it dials while overload lets calls wait', async () => {
  let isOverloaded = true;
  const dialer = line.dialerOf({ isOverloaded: () => isOverloaded, maxConcurrentCalls: 2 });
  await line.acceptBlast('1', ['sip:a@127.0.0.1', 'sip:b@127.0.0.1', 'sip:c@127.0.0.1']);
  dialer.start();
  await untilTimer();
  expect(dialer.callsPerMinuteOverloaded()).toBeNull();
  line.clock.lateMs += 60_000;
  expect(dialer.callsPerMinuteOverloaded()).toBe(0);
  isOverloaded = false;
  line.timers.shift()?.wake();
  await line.dialledCalls(2);
  expect(dialer.callsPerMinuteOverloaded()).toBeNull();
  isOverloaded = true;
  expect(dialer.callsPerMinuteOverloaded()).toBe(2);
});

it('does not tell once nothing is due any more', async () => {
  let isOverloaded = true;
  const dialer = line.dialerOf({ isOverloaded: () => isOverloaded });
  await line.acceptBlast('1', ['sip:a@127.0.0.1']);
  dialer.start();
  await untilTimer();
  line.clock.lateMs += 60_000;
  isOverloaded = false;
  line.timers.shift()?.wake();
  await line.dialledCalls(1);
  line.dialled[0]?.end('completed');
  await line.finished('1');
  isOverloaded = true;
  while (dialer.callsPerMinuteOverloaded() !== null) await new Promise(setImmediate);
  expect(line.dialled).toHaveLength(1);
});
