import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DIALECTS } from '../../test/support/dialects.ts';
import {
  application,
  blast,
  claim,
  network,
  provision,
  type StoreFixture,
  trunk,
} from '../../test/support/store-fixture.ts';

for (const dialect of DIALECTS)
  describe(`the backlog on ${dialect.name}`, () => {
    let fixture: StoreFixture;
    beforeEach(async () => {
      fixture = await dialect.open();
      await fixture.store.transact(async (tx) => {
        await provision(tx);
        await tx.createApplication(application({ id: 'other', priority: 3 }));
        await tx.createTrunk(trunk());
      });
    });
    afterEach(() => fixture.close());

    const insert = (id: string, calls: number, applicationId = 'app', trunkIds: readonly string[] = []) =>
      fixture.store.transact(async (tx) => {
        const destinations = Array.from({ length: calls }, (_, at) => `sip:${id}${at}@x`);
        await tx.createNetwork(network({ id: `of-${id}`, destinations, trunkIds }));
        await tx.insertBlast(blast({ id, networkId: `of-${id}`, applicationId }));
      });
    const backlog = (calls: number, trunkIds: readonly string[] = [], atMost = 1000) =>
      fixture.store.view((views) =>
        views.findBacklog({ application: { id: 'app', priority: 1 }, trunkIds, calls }, atMost),
      );

    it('is nothing where nothing waits', async () => {
      expect(await backlog(10)).toEqual({ ahead: 0, share: 1 });
    });

    it('of a small blast is what stands at the head, and of a large one all that takes turns with it', async () => {
      await insert('large', 100);
      await insert('small', 3);
      expect((await backlog(1)).ahead).toBe(2);
      expect((await backlog(10)).ahead).toBe(13);
      expect((await backlog(1000)).ahead).toBe(103);
    });

    it('is counted from where the queue stands now', async () => {
      await insert('large', 100);
      await fixture.store.transact((tx) => tx.claimCalls(claim({ limit: 20 })));
      expect((await backlog(10)).ahead).toBe(10);
      expect((await backlog(1000)).ahead).toBe(80);
    });

    it('is counted no further than asked', async () => {
      await insert('large', 100);
      expect((await backlog(100, [], 30)).ahead).toBe(30);
    });

    it('is of its own queue, which shares the turns with others', async () => {
      await insert('theirs', 100, 'other');
      expect(await backlog(10)).toEqual({ ahead: 0, share: 0.25 });
      await insert('elsewhere', 5, 'app', ['trunk']);
      expect(await backlog(10)).toEqual({ ahead: 0, share: 0.125 });
      expect(await backlog(10, ['trunk'])).toEqual({ ahead: 5, share: 0.5 });
    });
  });
