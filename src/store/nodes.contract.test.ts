import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DIALECTS } from '../../test/support/dialects.ts';
import { blast, claim, provision, result, type StoreFixture } from '../../test/support/store-fixture.ts';
import { RETRYABLE } from '../domain/retry.ts';
import type { Transaction, Views } from '../domain/store-port.ts';

for (const dialect of DIALECTS)
  describe(`nodes on ${dialect.name}`, () => {
    let fixture: StoreFixture;
    beforeEach(async () => {
      fixture = await dialect.open();
      await transact((tx) => provision(tx));
      for (const id of ['a', 'b', 'c']) await transact((tx) => tx.addNode(id));
    });
    afterEach(async () => {
      fixture.store.actAs('');
      await fixture.close();
    });
    const transact = <T>(work: (tx: Transaction) => Promise<T>) => fixture.store.transact(work);
    const view = <T>(work: (views: Views) => Promise<T>) => fixture.store.view(work);
    const beat = (id: string, pace: number | null = null) => transact((tx) => tx.beat(id, pace));
    const takeOver = (nodeId: string, beats = 0, taker = 'b') =>
      transact((tx) => tx.takeOverNode({ nodeId, beats }, taker));
    const standing = async () => (await view((views) => views.listNodes())).filter(({ nodeId }) => nodeId !== '');
    const insert = (changes = {}) => transact((tx) => tx.insertBlast(blast(changes)));
    const claimAs = async (nodeId: string, limit = 100) => {
      fixture.store.actAs(nodeId);
      return transact((tx) => tx.claimCalls(claim({ limit })));
    };
    const call = async (id: string) => (await view((views) => views.findBlast(id)))?.calls[0];

    it('counts the beats of each node that stands', async () => {
      expect(await beat('a')).toBe(true);
      expect(await beat('a')).toBe(true);
      expect(await beat('nobody')).toBe(false);
      expect(await standing()).toEqual([
        { nodeId: 'a', beats: 2 },
        { nodeId: 'b', beats: 0 },
        { nodeId: 'c', beats: 0 },
      ]);
    });

    it('tells each node the last paces of the others that stand', async () => {
      await takeOver('', 0, 'a');
      fixture.store.actAs('a');
      const paces = async () => (await view((views) => views.listPacesElsewhere())).toSorted();
      for (const id of ['a', 'b', 'c']) await beat(id, 7);
      expect(await paces()).toEqual([7, 7]);
      await beat('c', 0);
      expect(await paces()).toEqual([0, 7]);
      await beat('b');
      expect(await paces()).toEqual([0, null]);
      await takeOver('b', 2, 'c');
      expect(await paces()).toEqual([0]);
    });

    it('lets one of many take a node over, once, and only if it has not beaten since', async () => {
      await beat('a');
      expect(await takeOver('a', 0)).toBeNull();
      const taken = await Promise.all(Array.from({ length: 20 }, (_, at) => takeOver('a', 1, at % 2 ? 'b' : 'c')));
      expect(taken.filter((each) => each !== null)).toEqual([{ nodeId: 'a', dialogs: [], left: [] }]);
      expect(await beat('a')).toBe(false);
      expect((await standing()).map(({ nodeId }) => nodeId)).toEqual(['b', 'c']);
    });

    it('ends what the node had in progress, tells its dialogs, and leaves that of others and what waits', async () => {
      await insert({ id: '1', retry: { maxAttempts: 5, delaySeconds: 0, on: RETRYABLE } });
      for (const id of ['2', '3', '4', '5']) await insert({ id });
      await fixture.sql("update calls set destination = 'sip:' || id || '@127.0.0.1:5070'");
      const [, second, third] = await claimAs('a', 3);
      await claimAs('b', 1);
      await transact((tx) => tx.recordAnswered(second?.attemptId ?? '', 'PCMU', 'its dialog'));
      await transact((tx) => tx.recordOutcome(third?.attemptId ?? '', result('busy')));
      const dialog = (count: number) => ({
        attemptId: `${count}-1-1`,
        sipCallId: `call-${count}`,
        fromTag: `tag-${count}`,
        branch: `z9hG4bK${count}`,
        trunkId: null,
        destination: `sip:${count}-1@127.0.0.1:5070`,
        answeredAt: count === 2 ? expect.any(Number) : null,
        dialog: count === 2 ? 'its dialog' : null,
      });
      expect(await takeOver('a')).toEqual({ nodeId: 'a', dialogs: [dialog(1), dialog(2)], left: [] });
      for (const id of ['1', '2']) {
        expect(await call(id)).toMatchObject({ state: 'finished', outcome: 'interrupted' });
        expect((await call(id))?.attempts[0]).toMatchObject({ outcome: 'interrupted', endedAt: expect.any(Number) });
        expect((await view((views) => views.findBlast(id)))?.state).toBe('finished');
      }
      expect((await call('3'))?.outcome).toBe('busy');
      expect((await call('4'))?.state).toBe('dialing');
      expect((await claimAs('b')).map(({ attemptId }) => attemptId)).toEqual(['5-1-1']);
    });

    it('tells the dialogs of a dead node again when its taker dies too, until they are ended', async () => {
      for (const id of ['1', '2']) await insert({ id });
      await fixture.sql("update calls set destination = 'sip:' || id || '@127.0.0.1:5070'");
      const [first, second] = await claimAs('a', 2);
      for (const claimed of [first, second])
        await transact((tx) => tx.recordRinging(claimed?.attemptId ?? '', 'its dialog'));
      await takeOver('a', 0, 'b');
      await transact((tx) => tx.forgetDialog(first?.attemptId ?? ''));
      const { attemptId, sipCallId, trunkId } = second ?? {};
      const left = [{ attemptId, sipCallId, trunkId, dialog: 'its dialog' }];
      expect(await takeOver('b', 0, 'c')).toEqual({ nodeId: 'b', dialogs: [], left });
    });

    it('lets stand what was told first: the outcome of a call that was taken over is not changed', async () => {
      await insert();
      const [claimed] = await claimAs('a');
      await takeOver('a');
      const record = (tx: Transaction) => tx.recordOutcome(claimed?.attemptId ?? '', result('completed'));
      expect(await transact(record)).toBe(false);
      expect((await call('blast'))?.outcome).toBe('interrupted');
    });

    it('lets a node that was taken over claim nothing more', async () => {
      await insert();
      await takeOver('a');
      await expect(claimAs('a')).rejects.toMatchObject({ code: 'store_unavailable' });
      expect((await call('blast'))?.state).toBe('waiting');
      expect(await claimAs('c')).toHaveLength(1);
    });

    it('opens the grants that it had claimed, which it can neither spend nor open any more', async () => {
      const key = await transact((tx) => tx.createAppKey('app', null));
      const caller = { applicationId: 'app', keyId: key.id };
      const { token } = await transact((tx) => tx.issueGrant({ mediaId: 'media', caller, ttlSeconds: 60 }));
      const grant = () => view((views) => views.findGrant(token));
      const ref = (await grant())?.ref ?? Number.NaN;
      const spend = () => transact((tx) => tx.spendGrant(ref, { id: 'clip', digest: 'd'.repeat(64), bytes: 3 }, null));
      fixture.store.actAs('a');
      expect(await transact((tx) => tx.claimGrant(ref, '192.0.2.1'))).toBe(true);
      await takeOver('b', 0, 'c');
      expect((await grant())?.state).toBe('claimed');
      await takeOver('a', 0, 'c');
      expect((await grant())?.state).toBe('open');
      await expect(transact((tx) => tx.claimGrant(ref, '192.0.2.1'))).rejects.toMatchObject({
        code: 'store_unavailable',
      });
      fixture.store.actAs('c');
      expect(await transact((tx) => tx.claimGrant(ref, '192.0.2.1'))).toBe(true);
      fixture.store.actAs('a');
      await transact((tx) => tx.releaseGrant(ref, true));
      expect(await grant()).toMatchObject({ state: 'claimed', failedTries: 0 });
      await expect(spend()).rejects.toMatchObject({ code: 'grant_gone' });
      fixture.store.actAs('c');
      await spend();
      expect((await grant())?.state).toBe('spent');
    });

    it('drops what it had kept of uploads, but not that of clips, nor that of other nodes', async () => {
      const stage = (id: string) => transact((tx) => tx.stageOriginal(id, 0, Uint8Array.of(1)));
      fixture.store.actAs('a');
      for (const id of ['cut', 'clip']) await stage(id);
      fixture.store.actAs('b');
      await stage('other');
      await takeOver('a');
      const kept = async (id: string) => (await view((views) => views.findOriginalPart(id, 0))) !== null;
      expect([await kept('cut'), await kept('clip'), await kept('other')]).toEqual([false, true, true]);
    });
  });
