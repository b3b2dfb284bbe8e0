import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DIALECTS } from '../../test/support/dialects.ts';
import {
  application,
  blast,
  claim,
  network,
  provision,
  result,
  type StoreFixture,
  trunk,
} from '../../test/support/store-fixture.ts';
import type { ClaimRequest, Transaction } from '../domain/store-port.ts';

const NO_LIMITS = { maxConcurrentCalls: null, callsPerSecond: null };

for (const dialect of DIALECTS)
  describe(`claims on ${dialect.name}`, () => {
    let fixture: StoreFixture;
    beforeEach(async () => {
      fixture = await dialect.open();
      await transact((tx) => provision(tx));
    });
    afterEach(() => fixture.close());
    const transact = <T>(work: (tx: Transaction) => Promise<T>) => fixture.store.transact(work);
    const claims = (changes: Partial<ClaimRequest> = {}) => transact((tx) => tx.claimCalls(claim(changes)));
    const claimed = async (changes: Partial<ClaimRequest> = {}) => (await claims(changes)).map((call) => call.blastId);
    /** A blast to so many numbers of its own. */
    const insert = async (
      id: string,
      calls: number,
      over: { trunkIds?: readonly string[]; applicationId?: string } = {},
    ) => {
      const destinations = Array.from({ length: calls }, (_, at) => `+1555${id.length}${id.charCodeAt(0)}${at}`);
      await transact((tx) =>
        tx.createNetwork(network({ id: `of-${id}`, destinations, trunkIds: over.trunkIds ?? [] })),
      );
      const applicationId = over.applicationId ?? 'app';
      await transact((tx) => tx.insertBlast(blast({ id, networkId: `of-${id}`, applicationId })));
    };
    const makeTrunks = async (...ids: readonly string[]) => {
      for (const id of ids) await transact((tx) => tx.createTrunk(trunk({ id })));
    };
    const makeApplication = (id: string, changes = {}) =>
      transact((tx) => tx.createApplication(application({ id, ...changes })));

    it('gives the blasts of an application turns, whatever their size', async () => {
      await insert('large', 400);
      expect(await claimed({ limit: 20 })).toHaveLength(20);
      await insert('small', 2);
      expect((await claimed({ limit: 6 })).filter((id) => id === 'small')).toHaveLength(2);
    });

    it('gives applications turns by their priority', async () => {
      await makeApplication('mine', { priority: 3 });
      await makeApplication('yours');
      await insert('yours', 100, { applicationId: 'yours' });
      await insert('mine', 100, { applicationId: 'mine' });
      const ids: string[] = [];
      for (let at = 0; at < 40; at++) ids.push(...(await claimed({ limit: 1 })));
      const own = ids.filter((id) => id === 'mine').length;
      expect([ids.length, Math.abs(own - 30) <= 1]).toEqual([40, true]);
    });

    it('gives trunks turns: what waits for one does not hold up another', async () => {
      await makeTrunks('t1', 't2');
      await insert('large', 200, { trunkIds: ['t1'] });
      await insert('other', 2, { trunkIds: ['t2'] });
      expect((await claimed({ limit: 4 })).filter((id) => id === 'other')).toHaveLength(2);
    });

    it('leaves the calls of trunks that are held or full, and goes over another one of theirs', async () => {
      await makeTrunks('t1', 't2');
      await insert('one', 3, { trunkIds: ['t1'] });
      await insert('two', 3, { trunkIds: ['t1', 't2'] });
      const trunks = new Map([['t1', { ...NO_LIMITS, maxConcurrentCalls: 1 }]]);
      expect(await claimed({ trunks, heldTrunkIds: ['t1', 't2'] })).toEqual([]);
      const all = await claims({ trunks });
      expect(all.filter(({ trunkId }) => trunkId === 't1')).toHaveLength(1);
      expect(all.filter(({ blastId, trunkId }) => blastId === 'two' && trunkId === 't2').length).toBeGreaterThan(1);
      expect(await claimed({ trunks, heldTrunkIds: ['t2'] })).toEqual([]);
    });

    it('keeps to the calls at once of server and application', async () => {
      await makeApplication('two', { maxConcurrentCalls: 2 });
      await insert('bound', 5, { applicationId: 'two' });
      await insert('free', 5);
      const server = { ...NO_LIMITS, maxConcurrentCalls: 4 };
      expect([...(await claimed({ server }))].sort()).toEqual(['bound', 'bound', 'free', 'free']);
      expect(await claimed({ server })).toEqual([]);
      await transact((tx) => tx.recordOutcome('bound-1-1', result('completed')));
      expect(await claimed({ server })).toHaveLength(1);
    });

    it('gives out slots at the rate, ahead as far as the horizon, and keeps the ledger', async () => {
      await insert('paced', 100);
      const server = { ...NO_LIMITS, callsPerSecond: 50 };
      const slots = (await claims({ server })).map(({ dialAt }) => dialAt);
      expect(slots.map((at) => Math.round(at - (slots[0] ?? 0)))).toEqual(
        Array.from({ length: 20 }, (_, at) => Math.round(at * 20.4)),
      );
      const limits = { server, trunks: new Map() };
      const others = await transact((tx) => tx.takeSlots(['paced-2-1', 'paced-1-1'], limits));
      const [{ dialAt = 0, dialUntil = null } = {}, next] = others;
      expect(dialAt).toBeGreaterThan(slots.at(-1) ?? 0);
      expect([(dialUntil ?? 0) - dialAt, (next?.dialAt ?? 0) - dialAt]).toEqual([
        expect.closeTo(15.3),
        expect.closeTo(20.4),
      ]);
      await fixture.sql('update paces set next_at = next_at + 10000 where id = ?', 'server');
      expect(await claimed({ server })).toEqual([]);
    });

    it('calls a destination once at a time, and not again before its time', async () => {
      await insert('a', 1);
      await transact((tx) => tx.insertBlast(blast({ id: 'b', networkId: 'of-a' })));
      const request = { destinationSpacingMs: 60_000 };
      const later = () => fixture.sql('update calls set due_at = due_at - 61000');
      expect(await claimed(request)).toEqual(['a']);
      await later();
      expect(await claimed(request)).toEqual([]);
      await transact((tx) => tx.recordOutcome('a-1-1', result('completed')));
      await later();
      expect(await claimed(request)).toEqual([]);
      await later();
      await fixture.sql("update paces set next_at = next_at - 60000 where id like 'destination%'");
      expect(await claimed(request)).toEqual(['b']);
    });

    it('goes to the next trunk at once if one could not carry the call, then waits as its rule says', async () => {
      await makeTrunks('t1', 't2');
      await insert('a', 1, { trunkIds: ['t1', 't2'] });
      await fixture.sql('update blasts set retry = ?', '{"maxAttempts":2,"delaySeconds":0,"on":["unreachable"]}');
      const request = { destinationSpacingMs: 60_000 };
      const ids: (string | null)[] = [];
      for (let attempt = 1; attempt <= 4; attempt++) {
        ids.push(...(await claims(request)).map(({ trunkId }) => trunkId));
        const isOver = await transact((tx) => tx.recordOutcome(`a-1-${attempt}`, result('unreachable')));
        expect(isOver).toBe(attempt === 4);
        await fixture.sql("update paces set next_at = 0 where id like 'destination%' and ? = 2", attempt);
      }
      expect(ids).toEqual(['t1', 't2', 't1', 't2']);
    });

    it('accepts a large blast in little time and gives its calls their rows part by part, in fair turns', async () => {
      await insert('large', 1_700);
      const rows = async () => Number((await fixture.sql('select count(*) as count from calls'))[0]?.count);
      const waiting = () => fixture.store.view((views) => views.countWaiting());
      expect([await rows(), await waiting()]).toEqual([500, 1_700]);
      await insert('small', 1);
      expect(await transact((tx) => tx.settleBlast())).toEqual({ isMore: true, endedCalls: 0 });
      expect(await waiting()).toBe(1_701);
      expect((await claimed({ limit: 3 })).sort()).toEqual(['large', 'large', 'small']);
      await transact((tx) => tx.replaceNetwork('of-large', network({ destinations: ['sip:other@x'] })));
      expect([await rows(), await waiting()]).toEqual([1_701, 1_698]);
      const called = await fixture.sql(
        "select max(position) as last from calls where blast_id = 'large' and destination like '+1%'",
      );
      expect(called).toEqual([{ last: 1_700 }]);
      while ((await transact((tx) => tx.settleBlast())).isMore);
      const turns = await fixture.sql("select count(distinct turn) as turns from calls where blast_id = 'large'");
      expect(Number(turns[0]?.turns)).toBe(1_698);
    });

    it('cancels a large blast at once: none of it is dialled, and every call ends', async () => {
      await insert('large', 1_700);
      const [first] = await claims({ limit: 1 });
      const cancelled = await transact((tx) => tx.cancelBlast('large'));
      expect(cancelled?.attemptIds).toEqual([first?.attemptId]);
      expect(await claimed()).toEqual([]);
      const open = await fixture.store.view((views) => views.listCancelledAttempts());
      expect(open).toEqual([first?.attemptId]);
      let ended = cancelled?.endedCalls ?? 0;
      for (let isMore = true; isMore; ) {
        const part = await transact((tx) => tx.settleBlast());
        ended += part.endedCalls;
        isMore = part.isMore;
      }
      await transact((tx) => tx.recordOutcome(first?.attemptId ?? '', result('cancelled')));
      const found = await fixture.store.view((views) => views.findBlast('large'));
      const outcomes = new Set(found?.calls.map(({ outcome }) => outcome));
      expect([found?.state, found?.calls.length, [...outcomes]]).toEqual(['cancelled', 1_700, ['cancelled']]);
      expect(await fixture.sql("select unfinished_calls from blasts where id = 'large'")).toEqual([
        { unfinished_calls: 0 },
      ]);
      expect(await fixture.store.view((views) => views.countWaiting())).toBe(0);
      expect(ended).toBe(1_699);
    });
  });
