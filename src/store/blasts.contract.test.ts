import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DIALECTS } from '../../test/support/dialects.ts';
import {
  blast,
  claim,
  FIRST_PAGE,
  network,
  provision,
  result,
  type StoreFixture,
  trunk,
} from '../../test/support/store-fixture.ts';
import type { Transaction, Views } from '../domain/store-port.ts';

const DESTINATIONS = ['sip:a@x', 'sip:b@x', 'sip:c@x'];

for (const dialect of DIALECTS)
  describe(`blasts on ${dialect.name}`, () => {
    let fixture: StoreFixture;
    beforeEach(async () => {
      fixture = await dialect.open();
      await transact((tx) => provision(tx, DESTINATIONS));
    });
    afterEach(() => fixture.close());
    const transact = <T>(work: (tx: Transaction) => Promise<T>) => fixture.store.transact(work);
    const view = <T>(work: (views: Views) => Promise<T>) => fixture.store.view(work);
    const insert = (changes = {}) => transact((tx) => tx.insertBlast(blast(changes)));
    const find = (id = 'blast') => view((views) => views.findBlast(id));
    const claimAll = (limit = 100) => transact((tx) => tx.claimCalls(claim({ limit })));
    const waiting = () => view((views) => views.countWaiting());

    it('commits a blast with a waiting call for each destination', async () => {
      await insert({ greetingId: 'media', mediaIds: ['media', 'media'] });
      const calls = DESTINATIONS.map((destination, at) => ({
        id: `blast-${at + 1}`,
        blastId: 'blast',
        destination,
        state: 'waiting',
        outcome: null,
        attempts: [],
      }));
      const kept = { id: 'blast', applicationId: 'app', networkId: 'net', mediaIds: ['media', 'media'] };
      const accepted = { greetingId: 'media', acceptedAt: expect.any(Number), state: 'active', calls };
      expect(await find()).toEqual({ ...kept, ...accepted });
      expect(await view((views) => views.findBlast('blast', 'app'))).not.toBeNull();
      expect(await view((views) => views.findBlast('blast', 'other'))).toBeNull();
      expect(await find('nowhere')).toBeNull();
    });

    it('pins network, trunks, caller, playlist and silences as they were', async () => {
      for (const id of ['t1', 't2']) await transact((tx) => tx.createTrunk(trunk({ id })));
      const over = network({ id: 'over', destinations: ['+15551230000'], trunkIds: ['t2', 't1'], callerId: '+1999' });
      await transact((tx) => tx.createNetwork(over));
      const silences = { leadInMs: 20, gapMs: 0, tailMs: 5000 };
      await insert({ networkId: 'over', silences });
      const other = network({ destinations: ['sip:z@x', 'sip:y@x'], callerId: null });
      await transact((tx) => tx.replaceNetwork('over', other));
      await transact((tx) => tx.deleteNetwork('over'));
      let offered: readonly string[] = [];
      const { plan } = claim();
      const spy = claim({
        plan: (trunkIds, destination, closed) => {
          offered = [...trunkIds, destination];
          return plan(trunkIds, destination, closed);
        },
      });
      const [call] = await transact((tx) => tx.claimCalls(spy));
      expect(offered).toEqual(['t2', 't1', '+15551230000']);
      expect(call).toEqual({
        callId: 'blast-1',
        blastId: 'blast',
        attemptId: 'blast-1-1',
        attemptNumber: 1,
        destination: '+15551230000',
        trunkId: 't2',
        callerId: '+1999',
        playlist: blast().playlist,
        silences,
        sipCallId: 'call-1',
        fromTag: 'tag-1',
        branch: 'z9hG4bK1',
        dialAt: expect.any(Number),
        dialUntil: null,
      });
      expect((await find())?.calls).toHaveLength(1);
    });

    it('takes no blast for a network that is gone', async () => {
      await expect(insert({ networkId: 'nowhere' })).rejects.toMatchObject({ code: 'not_found' });
      expect(await find()).toBeNull();
    });

    it('counts calls accepted and not yet dialled, whatever becomes of them', async () => {
      expect(await waiting()).toBe(0);
      const retry = { maxAttempts: 2, delaySeconds: 0, on: ['busy'] } as const;
      await insert({ id: 'a', retry });
      await insert({ id: 'b' });
      expect(await waiting()).toBe(6);
      const [first] = await claimAll(1);
      expect(await waiting()).toBe(5);
      expect(await transact((tx) => tx.recordOutcome(first?.attemptId ?? '', result('busy')))).toBe(false);
      expect((await find('a'))?.calls[0]?.state).toBe('waiting');
      expect(await waiting()).toBe(5);
      await transact((tx) => tx.cancelBlast('a'));
      expect(await waiting()).toBe(3);
      await fixture.sql("update calls set dial_by = due_at where blast_id = 'b'");
      await transact((tx) => tx.expireCalls());
      expect(await waiting()).toBe(0);
    });

    it('finishes with the last of its calls, not before', async () => {
      await insert();
      const calls = await claimAll();
      for (const [at, { attemptId }] of calls.entries()) {
        expect((await find())?.state).toBe('active');
        const outcome = at === 0 ? 'busy' : 'completed';
        expect(await transact((tx) => tx.recordOutcome(attemptId, result(outcome)))).toBe(true);
        expect(await transact((tx) => tx.recordOutcome(attemptId, result('failed')))).toBe(false);
      }
      const finished = await find();
      expect(finished?.state).toBe('finished');
      expect(finished?.calls.map((call) => call.outcome)).toEqual(['busy', 'completed', 'completed']);
      expect(await transact((tx) => tx.cancelBlast('blast'))).toBeNull();
    });

    it('is cancelled at once: waiting calls end, calls in progress are named and end as they truly do', async () => {
      await insert();
      const [first] = await claimAll(1);
      const attemptIds = [first?.attemptId];
      expect(await transact((tx) => tx.cancelBlast('blast'))).toEqual({ attemptIds, endedCalls: 2 });
      const outcomes = async () => (await find())?.calls.map((call) => call.outcome);
      expect(await outcomes()).toEqual([null, 'cancelled', 'cancelled']);
      expect((await find())?.state).toBe('cancelled');
      expect(await transact((tx) => tx.cancelBlast('blast'))).toEqual({ attemptIds, endedCalls: 0 });
      await transact((tx) => tx.recordOutcome(first?.attemptId ?? '', result('completed')));
      expect(await outcomes()).toEqual(['completed', 'cancelled', 'cancelled']);
      expect((await find())?.state).toBe('cancelled');
      expect(await claimAll()).toEqual([]);
      expect(await transact((tx) => tx.cancelBlast('nowhere'))).toBeNull();
    });

    it('never tries again what was cancelled', async () => {
      await insert({ retry: { maxAttempts: 5, delaySeconds: 0, on: ['busy'] } });
      const [first, second] = await claimAll(2);
      await transact((tx) => tx.recordOutcome(first?.attemptId ?? '', result('busy')));
      await transact((tx) => tx.cancelBlast('blast'));
      await transact((tx) => tx.recordOutcome(second?.attemptId ?? '', result('busy')));
      expect((await find())?.calls.map((call) => call.outcome)).toEqual(['cancelled', 'busy', 'cancelled']);
    });

    it('remembers a request for its application, until its day is over', async () => {
      const recall = (id: string, key: string) => view((views) => views.recallBlast(id, key));
      const remembered = { blastId: 'blast', requestDigest: 'abc' };
      await transact((tx) => tx.rememberBlast('app', 'key', remembered));
      expect(await recall('app', 'key')).toEqual(remembered);
      expect(await recall('app', 'Key')).toBeNull();
      expect(await recall('other', 'key')).toBeNull();
      await fixture.sql('update idempotency set created_at = created_at - 86400000');
      expect(await recall('app', 'key')).toBeNull();
      await transact((tx) => tx.rememberBlast('app', 'key', { blastId: 'second', requestDigest: 'def' }));
      expect(await recall('app', 'key')).toEqual({ blastId: 'second', requestDigest: 'def' });
    });

    it('forgets old keys when it starts, and in passing as new ones come', async () => {
      const remember = (key: string) =>
        transact((tx) => tx.rememberBlast('app', key, { blastId: 'blast', requestDigest: '' }));
      const kept = async () =>
        (await fixture.sql('select idempotency_key as key from idempotency order by seq')).map((row) => row.key);
      await remember('old');
      await fixture.sql('update idempotency set created_at = created_at - 86400000');
      await remember('new');
      expect(await kept()).toEqual(['old', 'new']);
      await transact((tx) => tx.sweep());
      expect(await kept()).toEqual(['new']);
      await fixture.sql('update idempotency set created_at = created_at - 86400000');
      for (let at = 0; at < 64; at++) await remember(String(at));
      expect(await kept()).not.toContain('new');
    });

    it('lists blasts newest first with at most 100 calls of each, and calls newest first', async () => {
      const many = Array.from({ length: 130 }, (_, at) => `sip:${at}@x`);
      await transact((tx) => tx.createNetwork(network({ id: 'many', destinations: many })));
      await insert({ id: 'one' });
      await insert({ id: 'two', networkId: 'many', applicationId: 'other' });
      await claimAll(6);
      const { items } = await view((views) => views.listBlasts(FIRST_PAGE));
      expect(items.map((item) => [item.id, item.calls.length])).toEqual([
        ['two', 100],
        ['one', 3],
      ]);
      expect(items[0]?.calls.map((call) => call.destination)).toEqual(many.slice(0, 100));
      expect(items[0]?.calls[0]?.attempts).toHaveLength(1);
      expect(items[1]?.calls[2]?.attempts[0]?.id).toBe('one-3-1');
      expect((await find('two'))?.calls).toHaveLength(130);
      const own = await view((views) => views.listBlasts(FIRST_PAGE, 'app'));
      expect(own.items.map((item) => item.id)).toEqual(['one']);
      const calls = await view((views) => views.listCalls({ limit: 131, cursor: null }));
      expect(calls.items.slice(-2).map((call) => call.id)).toEqual(['two-1', 'one-3']);
      const rest = await view((views) => views.listCalls({ limit: 131, cursor: calls.next }));
      expect(rest.items.map((call) => call.id)).toEqual(['one-2', 'one-1']);
      expect(rest.items[1]?.attempts[0]?.clips[0]).toEqual({ mediaId: null, framesSent: 0, framesTotal: 5 });
    });
  });
