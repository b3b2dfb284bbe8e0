import { beforeEach, describe, expect, it } from 'vitest';
import { QUIET_LOG } from '../../test/support/quiet-log.ts';
import type { Store, Transaction } from '../domain/store-port.ts';
import { createSteadyClock, type SteadyClock } from './steady-clock.ts';

const HOUR_MS = 3_600_000;

/** Clock and correction of a database, and the time that really passes. */
let database: { clockMs: number; aheadMs: number };
let passedMs: number;
beforeEach(() => {
  database = { clockMs: 1e12, aheadMs: 0 };
  passedMs = 0;
});

const pass = (ms: number): void => {
  passedMs += ms;
  database.clockMs += ms;
};

/** A node that has slept for `sleptMs` that it knows nothing of. */
const makeNode = (node = { sleptMs: 0, staleMs: 0 }) => {
  let knownAheadMs = 0;
  const nowMs = (): number => database.clockMs - knownAheadMs - node.staleMs;
  const readClock = async (): Promise<number> => {
    knownAheadMs = database.aheadMs;
    node.staleMs = 0;
    return nowMs();
  };
  const tx = {
    readClock,
    lockClock: readClock,
    async setClockBack(byMs: number) {
      database.aheadMs += byMs;
    },
  } as Transaction;
  const transact: Store['transact'] = (work) => work(tx);
  const clock = createSteadyClock({
    store: { transact, isShared: true },
    uptimeMs: () => passedMs - node.sleptMs,
    log: QUIET_LOG,
  });
  clock.isSteady(nowMs());
  return { clock, nowMs, node, beat: readClock };
};

const look = async ({ clock, nowMs }: { clock: SteadyClock; nowMs: () => number }): Promise<boolean> => {
  const isSteady = clock.isSteady(nowMs());
  if (!isSteady) await clock.repair();
  return isSteady;
};

describe('the clock of several nodes', () => {
  it.each([HOUR_MS, -HOUR_MS])('goes on as it did when that of the database is set by %i ms', async (jumpMs) => {
    const nodes = [makeNode(), makeNode()];
    const before = database.clockMs;
    pass(5000);
    database.clockMs += jumpMs;
    for (const node of nodes) expect(await look(node)).toBe(false);
    for (const node of nodes) {
      expect(await look(node)).toBe(true);
      expect(node.nowMs()).toBe(before + 5000);
    }
  });

  it('follows what is set by a little, again and again', async () => {
    const node = makeNode();
    for (let at = 0; at < 10; at++) {
      pass(1000);
      database.clockMs += 4000;
      expect(await look(node)).toBe(true);
    }
    expect(database.aheadMs).toBe(0);
  });

  it('is not changed because of a time that was read before the process was stopped', async () => {
    const node = makeNode();
    pass(60_000);
    node.node.staleMs = 60_000;
    expect(await look(node)).toBe(false);
    expect([await look(node), database.aheadMs]).toEqual([true, 0]);
  });

  it('is that of those who were awake if one slept without knowing', async () => {
    const [sleeper, awake] = [makeNode(), makeNode()];
    const before = database.clockMs;
    pass(HOUR_MS);
    sleeper.node.sleptMs = HOUR_MS;
    // The one puts it back, the other forth again, and there it stays.
    for (const node of [sleeper, awake, sleeper, awake]) {
      await node.beat();
      await look(node);
    }
    for (const node of [sleeper, awake]) {
      await node.beat();
      expect(await look(node)).toBe(true);
      expect(node.nowMs()).toBe(before + HOUR_MS);
    }
  });
});
