import { describe, expect, it } from 'vitest';
import { QUIET_LOG } from '../../test/support/quiet-log.ts';
import { createVirtualClock } from '../../test/support/virtual-clock.ts';
import type { Store, Transaction } from '../domain/store-port.ts';
import { createEventFeed, tellingCommits } from './publish-events.ts';

/** A database with facts that wait to be published, and a feed over it. */
const bench = () => {
  const clock = createVirtualClock();
  const database = { last: 0, pending: 0, publishings: 0, fails: false };
  const tx = {
    readEventRange: async () => ({ lastId: String(database.last), sweptId: '0', isPending: database.pending > 0 }),
    publishEvents: async () => {
      const count = Math.min(500, database.pending);
      database.pending -= count;
      database.last += count;
      database.publishings += 1;
      return count;
    },
  };
  const run = <T>(work: (verbs: Transaction) => Promise<T>): Promise<T> =>
    database.fails ? Promise.reject(new Error('gone')) : work(tx as Partial<Transaction> as Transaction);
  const store: Store = {
    transact: run,
    view: run,
    close: async () => undefined,
    actAs: () => undefined,
    isShared: false,
  };
  const feed = createEventFeed({ store, wakeAfter: clock.wakeAfter, log: QUIET_LOG });
  let told = 0;
  const unsubscribe = feed.subscribe(() => {
    told += 1;
  });
  feed.start();
  return { clock, database, store: tellingCommits(store, feed.wake), feed, unsubscribe, told: () => told };
};

describe('the event feed', () => {
  it('publishes what is committed here 20 ms later, many commits at once', async () => {
    const { clock, database, store, feed, told } = bench();
    await clock.advance(0);
    const before = told();
    for (let commit = 0; commit < 30; commit++)
      await store.transact(async () => {
        database.pending += 1;
      });
    await clock.advance(19);
    expect(database.publishings).toBe(0);
    await clock.advance(1);
    expect([database.publishings, database.last, told() - before]).toEqual([1, 30, 1]);
    await feed.stop();
  });

  it('publishes all there is in batches', async () => {
    const { clock, database, feed } = bench();
    database.pending = 1200;
    await clock.advance(0);
    expect([database.publishings, database.last]).toEqual([3, 1200]);
    await feed.stop();
  });

  it('sees within a second what others have published, and tells it once', async () => {
    const { clock, database, feed, told, unsubscribe } = bench();
    await clock.advance(0);
    const before = told();
    database.last = 7;
    await clock.advance(1000);
    expect(told() - before).toBe(1);
    await clock.advance(5000);
    expect(told() - before).toBe(1);
    unsubscribe();
    database.last = 8;
    await clock.advance(1000);
    expect(told() - before).toBe(1);
    await feed.stop();
    expect(clock.waiting).toBe(0);
  });

  it('goes on a second after the store failed', async () => {
    const { clock, database, feed } = bench();
    await clock.advance(0);
    database.fails = true;
    database.pending = 1;
    await clock.advance(1000);
    database.fails = false;
    await clock.advance(1000);
    expect(database.last).toBe(1);
    await feed.stop();
  });
});
