import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_METRICS } from '../../test/support/no-metrics.ts';
import { QUIET_LOG } from '../../test/support/quiet-log.ts';
import { STEADY } from '../../test/support/steady.ts';
import { blast, claim, openSqliteFixture, provision, type StoreFixture } from '../../test/support/store-fixture.ts';
import { AppError } from '../domain/app-error.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { Store } from '../domain/store-port.ts';
import { holdNodeLease, type NodeLease } from './node-lease.ts';

/** A node whose clock and timers are in the test's hands, on a store that it shares with others. */
interface TestNode {
  readonly lease: NodeLease;
  readonly nodeId: () => string;
  /** Lets time pass and the beat that is due go out; resolves when the next one is planned, and tells when. */
  beatAfter(ms: number): Promise<number>;
  /** Lets time pass in which the process does not run. */
  stopFor(ms: number): void;
}

let fixture: StoreFixture;
let away = false;
let noted: [Outcome, number][];
let logged: string[];
beforeEach(async () => {
  fixture = await openSqliteFixture();
  away = false;
  noted = [];
  logged = [];
  await fixture.store.transact((tx) => provision(tx));
});
afterEach(() => fixture.close());

const startNode = async (name: string, isShared = true): Promise<TestNode> => {
  // No two processes count from the same time; whole milliseconds, so that sums are exact.
  let nowMs = 1000 * name.charCodeAt(0);
  let acting = '';
  let joined = 0;
  let planned = Promise.withResolvers<number>();
  let wakeNext = (): void => {};
  const store: Store = {
    ...fixture.store,
    isShared,
    actAs(id) {
      acting = id;
    },
    transact: (work) => (away ? Promise.reject(new AppError('store_unavailable', '')) : fixture.store.transact(work)),
  };
  const lease = await holdNodeLease({
    store,
    random: { hex: () => `${name}${++joined}` },
    wakeAfter(delayMs, wake) {
      wakeNext = wake;
      planned.resolve(delayMs);
      return () => undefined;
    },
    monotonicMs: () => nowMs,
    clock: STEADY,
    metrics: {
      ...NO_METRICS,
      noteEndedUndialled: (outcome, calls) => void (calls > 0 && noted.push([outcome, calls])),
    },
    log: { ...QUIET_LOG, info: (_, message) => void logged.push(message) },
  });
  return {
    lease,
    nodeId: () => acting,
    beatAfter(ms) {
      nowMs += ms;
      planned = Promise.withResolvers();
      wakeNext();
      return planned.promise;
    },
    stopFor(ms) {
      nowMs += ms;
    },
  };
};

const standing = async (): Promise<string[]> =>
  (await fixture.store.view((views) => views.listNodes())).map(({ nodeId }) => nodeId).filter((id) => id !== '');
const claimAs = async (node: TestNode): Promise<void> => {
  await fixture.store.transact((tx) => tx.insertBlast(blast({ id: node.nodeId() })));
  fixture.store.actAs(node.nodeId());
  expect(await fixture.store.transact((tx) => tx.claimCalls(claim()))).toHaveLength(1);
};

describe('the lease of a node', () => {
  it('holds from its start, and as long as it beats every five seconds', async () => {
    const a = await startNode('a');
    for (let at = 0; at < 10; at++) {
      expect(a.lease.mayDial()).toBe(true);
      expect(await a.beatAfter(5000)).toBe(5000);
    }
    expect([a.nodeId(), await standing()]).toEqual(['a1', ['a1']]);
  });

  it('tells with each beat how fast the node dials', async () => {
    const [a, b] = [await startNode('a'), await startNode('b')];
    const toldTo = (node: TestNode) => {
      fixture.store.actAs(node.nodeId());
      return fixture.store.view((views) => views.listPacesElsewhere());
    };
    let pace: number | null = 30;
    a.lease.tellPace(() => pace);
    await a.beatAfter(5000);
    expect([await toldTo(b), await toldTo(a)]).toEqual([
      expect.arrayContaining([30]),
      expect.not.arrayContaining([30]),
    ]);
    pace = null;
    await a.beatAfter(5000);
    expect(await toldTo(b)).not.toContain(30);
  });

  it('runs out while the store is away, and holds again, under the same id, when it is back', async () => {
    const a = await startNode('a');
    away = true;
    expect(await a.beatAfter(5000)).toBe(1000);
    expect(a.lease.mayDial()).toBe(true);
    await a.beatAfter(8000);
    expect(a.lease.mayDial()).toBe(false);
    away = false;
    expect(await a.beatAfter(20_000)).toBe(5000);
    expect([a.lease.mayDial(), a.nodeId()]).toEqual([true, 'a1']);
  });

  it('has run out in a process that was stopped, before anything in it could run', async () => {
    const a = await startNode('a');
    a.stopFor(60_000);
    expect(a.lease.mayDial()).toBe(false);
  });

  it('is taken over by one survivor when the node is silent; it goes on as another', async () => {
    const nodes = [await startNode('a'), await startNode('b'), await startNode('c')] as const;
    const [a, b, c] = nodes;
    await claimAs(a);
    for (let at = 0; at < 2; at++) for (const node of [b, c]) await node.beatAfter(5000);
    expect(noted).toEqual([]);
    a.stopFor(15_000);
    expect(a.lease.mayDial()).toBe(false);
    for (const node of [b, c]) await node.beatAfter(5000);
    expect([noted, await standing()]).toEqual([[['interrupted', 1]], ['b1', 'c1']]);
    await a.beatAfter(0);
    expect([a.lease.mayDial(), a.nodeId(), await standing()]).toEqual([true, 'a2', ['a2', 'b1', 'c1']]);
  });

  it('is taken over by nobody because the store was away for all', async () => {
    const [a, b] = [await startNode('a'), await startNode('b')];
    await claimAs(a);
    await b.beatAfter(5000);
    away = true;
    for (let at = 0; at < 30; at++) for (const node of [a, b]) await node.beatAfter(1000);
    away = false;
    await b.beatAfter(1000);
    for (let at = 0; at < 6; at++) for (const node of [a, b]) await node.beatAfter(5000);
    expect([noted, await standing()]).toEqual([[], ['a1', 'b1']]);
  });

  it('is that of the former process at once where the database is of one process', async () => {
    const former = await startNode('a', false);
    await claimAs(former);
    const restarted = await startNode('b', false);
    expect([noted, await standing(), restarted.lease.mayDial()]).toEqual([[['interrupted', 1]], ['b1'], true]);
    // Of a database that is new there is nothing to tell, and what was interrupted is a warning.
    expect(logged).toEqual(['node joined', 'node joined']);
  });
});
