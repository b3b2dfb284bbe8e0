import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DIALECTS } from '../../test/support/dialects.ts';
import { application, blast, claim, network, provision, type StoreFixture } from '../../test/support/store-fixture.ts';
import { NO_RTP } from '../domain/call.ts';
import type { Transaction } from '../domain/store-port.ts';

const MANY = 24;

for (const dialect of DIALECTS)
  describe(`units of work at once on ${dialect.name}`, () => {
    let fixture: StoreFixture;
    beforeEach(async () => {
      fixture = await dialect.open();
      await transact((tx) => provision(tx, ['sip:a@x', 'sip:b@x', 'sip:c@x']));
    });
    afterEach(() => fixture.close());
    const transact = <T>(work: (tx: Transaction) => Promise<T>) => fixture.store.transact(work);
    const atOnce = <T>(work: (tx: Transaction, at: number) => Promise<T>): Promise<PromiseSettledResult<T>[]> =>
      Promise.allSettled(Array.from({ length: MANY }, (_, at) => transact((tx) => work(tx, at))));
    const codesOf = (verdicts: PromiseSettledResult<unknown>[]) =>
      verdicts.flatMap((verdict) => (verdict.status === 'rejected' ? [verdict.reason.code] : []));
    const find = (id: string) => fixture.store.view((views) => views.findBlast(id));

    it('accept one blast under one idempotency key', async () => {
      const accepted = await atOnce(async (tx, at) => {
        const remembered = await tx.recallBlast('app', 'key');
        if (remembered) return remembered.blastId;
        await tx.insertBlast(blast({ id: `b${at}` }));
        await tx.rememberBlast('app', 'key', { blastId: `b${at}`, requestDigest: '' });
        return `b${at}`;
      });
      const ids = new Set(accepted.map((verdict) => verdict.status === 'fulfilled' && verdict.value));
      expect(ids.size).toBe(1);
      const { items } = await fixture.store.view((views) => views.listBlasts({ limit: 100, cursor: null }));
      expect(items.map(({ id }) => id)).toEqual([...ids]);
    });

    it('import a key and take an id once, and refuse the others in the same words', async () => {
      const keys = codesOf(await atOnce((tx) => tx.createAppKey('app', 'imported')));
      const ids = codesOf(await atOnce((tx) => tx.createApplication(application({ id: 'same' }))));
      const taken = Array.from({ length: MANY - 1 }, () => 'duplicate_id');
      expect([keys, ids]).toEqual([taken, taken]);
    });

    it('give out ids of their own', async () => {
      const made = await atOnce((tx) => tx.createApplication(application({ id: null })));
      expect(new Set(made.map((verdict) => verdict.status === 'fulfilled' && verdict.value)).size).toBe(MANY);
    });

    it('count every call once, and finish every blast', async () => {
      await atOnce((tx, at) => tx.insertBlast(blast({ id: `b${at}` })));
      expect(await fixture.store.view((views) => views.countWaiting())).toBe(3 * MANY);
      await fixture.sql('update calls set destination = id');
      const claims = await atOnce((tx) => tx.claimCalls(claim({ limit: 2 })));
      const claimed = claims.flatMap((verdict) => (verdict.status === 'fulfilled' ? verdict.value : []));
      const rest = await transact((tx) => tx.claimCalls(claim({ limit: 1000 })));
      const attempts = [...claimed, ...rest].map(({ attemptId }) => attemptId);
      expect([attempts.length, new Set(attempts).size]).toEqual([3 * MANY, 3 * MANY]);
      expect(await fixture.store.view((views) => views.countWaiting())).toBe(0);
      const ended = { sipStatus: null, sipReason: null, codec: null, framesSent: [], outcome: 'completed' } as const;
      const heard = { rtp: NO_RTP, digits: [], hungUpAt: null };
      const all = attempts.map((id) => transact((tx) => tx.recordOutcome(id, { ...ended, ...heard })));
      expect(await Promise.all(all)).toEqual(attempts.map(() => true));
      for (let at = 0; at < MANY; at++) expect((await find(`b${at}`))?.state).toBe('finished');
    });

    it('pin a network either as it was or as it is', async () => {
      const other = ['sip:d@x', 'sip:e@x'];
      await atOnce(async (tx, at) => {
        if (at === MANY / 2) await tx.replaceNetwork('net', network({ destinations: other }));
        else await tx.insertBlast(blast({ id: `b${at}` }));
      });
      for (let at = 0; at < MANY; at++) {
        const calls = (await find(`b${at}`))?.calls.map(({ destination }) => destination) ?? other;
        expect([['sip:a@x', 'sip:b@x', 'sip:c@x'], other]).toContainEqual(calls);
      }
    });
  });
