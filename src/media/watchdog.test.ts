import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../test/support/virtual-clock.ts';
import { startWatchdog } from './watchdog.ts';

const watch = (beats: (atMs: number) => number, lateMs = 0) => {
  const clock = createVirtualClock();
  const hungAtMs: number[] = [];
  const end = startWatchdog({
    readBeat: () => beats(clock.nowMs),
    onHung: () => hungAtMs.push(clock.nowMs),
    nowMs: () => clock.nowMs,
    wakeAfter: (delayMs, wake) => clock.wakeAfter(delayMs + lateMs, wake),
  });
  return { clock, hungAtMs, end };
};

describe('the watchdog', () => {
  it('is content while the beat changes between any five looks', async () => {
    const { clock, hungAtMs } = watch((atMs) => Math.floor(atMs / 4500));
    await clock.advance(60_000);
    expect(hungAtMs).toEqual([]);
  });

  it('tells once that there was no beat for five seconds', async () => {
    const { clock, hungAtMs } = watch((atMs) => Math.min(atMs, 10_000));
    await clock.advance(60_000);
    expect(hungAtMs).toEqual([15_000]);
  });

  it('does not blame a thread for a machine that stood still', async () => {
    const { clock, hungAtMs } = watch(() => 1, 1000);
    await clock.advance(60_000);
    expect(hungAtMs).toEqual([]);
  });

  it('ends when it is told to', async () => {
    const { clock, hungAtMs, end } = watch(() => 1);
    end();
    await clock.runOut();
    expect(hungAtMs).toEqual([]);
  });
});
