import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DIALECTS } from '../../test/support/dialects.ts';
import { application, provision, type StoreFixture } from '../../test/support/store-fixture.ts';
import type { Caller } from '../domain/application.ts';
import type { IssuedGrant } from '../domain/grant.ts';
import type { Transaction, Views } from '../domain/store-port.ts';

const SPENDING = { id: 'clip', digest: 'd'.repeat(64), bytes: 3 };

for (const dialect of DIALECTS)
  describe(`grants on ${dialect.name}`, () => {
    let fixture: StoreFixture;
    let caller: Caller;
    let issued: IssuedGrant;
    let ref: number;
    const transact = <T>(work: (tx: Transaction) => Promise<T>) => fixture.store.transact(work);
    const view = <T>(work: (views: Views) => Promise<T>) => fixture.store.view(work);
    const issue = () => transact((tx) => tx.issueGrant({ mediaId: 'media', caller, ttlSeconds: 86_400 }));
    const find = (grant = issued) => view((views) => views.findGrant(grant.token));
    const claimed = () => transact((tx) => tx.claimGrant(ref, '192.0.2.1'));
    const spend = () => transact((tx) => tx.spendGrant(ref, SPENDING, null));
    beforeEach(async () => {
      fixture = await dialect.open();
      await transact((tx) => provision(tx));
      const key = await transact((tx) => tx.createAppKey('app', null));
      caller = { applicationId: 'app', keyId: key.id };
      issued = await issue();
      ref = (await find())?.ref ?? Number.NaN;
    });
    afterEach(() => fixture.close());

    it('issues ids beyond 2^53 and tokens of 39 digits, and keeps neither', async () => {
      const grants = await Promise.all(Array.from({ length: 20 }, issue));
      for (const { grantId, token } of grants) {
        expect(grantId).toMatch(/^[1-9][0-9]{19}$/);
        expect(token).toMatch(/^[0-9]{39}$/);
        expect(BigInt(token) < 2n ** 128n).toBe(true);
      }
      expect(new Set(grants.flatMap((grant) => [grant.grantId, grant.token])).size).toBe(40);
      const rows = JSON.stringify(await fixture.sql('select * from grants'));
      for (const { grantId, token } of grants) {
        expect(rows).not.toContain(grantId);
        expect(rows).not.toContain(token);
      }
    });

    it('finds a grant by its token alone', async () => {
      const now = await view((views) => views.nowMs());
      const grant = await find();
      expect(grant).toEqual({
        ref,
        mediaId: 'media',
        ...caller,
        state: 'open',
        expiresAt: expect.any(Number),
        failedTries: 0,
        callerStands: true,
        spentBy: null,
      });
      expect(Math.abs((grant?.expiresAt ?? 0) - now - 86_400_000)).toBeLessThan(60_000);
      expect(await view((views) => views.findGrant(issued.grantId))).toBeNull();
      expect(await view((views) => views.findGrant('0'.repeat(39)))).toBeNull();
    });

    it('knows the grant id of each grant', async () => {
      const other = await issue();
      expect(await view((views) => views.isGrantId(ref, issued.grantId))).toBe(true);
      expect(await view((views) => views.isGrantId(ref, other.grantId))).toBe(false);
      expect(await view((views) => views.isGrantId(ref, issued.token))).toBe(false);
    });

    it('lets one of fifty uploads at once claim it', async () => {
      const wins = await Promise.all(Array.from({ length: 50 }, claimed));
      expect(wins.filter((won) => won)).toHaveLength(1);
      expect((await find())?.state).toBe('claimed');
    });

    it('is open again after a failed upload, which is counted', async () => {
      await claimed();
      await transact((tx) => tx.releaseGrant(ref, true));
      expect(await find()).toMatchObject({ state: 'open', failedTries: 1 });
      await claimed();
      await transact((tx) => tx.releaseGrant(ref, false));
      await transact((tx) => tx.countFailedTry(ref));
      expect(await find()).toMatchObject({ state: 'open', failedTries: 2 });
    });

    it('is spent once, and then neither claimed nor opened', async () => {
      await expect(spend()).rejects.toMatchObject({ code: 'grant_gone' });
      await claimed();
      await spend();
      await transact((tx) => tx.releaseGrant(ref, true));
      expect(await find()).toMatchObject({ state: 'spent', failedTries: 0 });
      expect(await claimed()).toBe(false);
      await expect(spend()).rejects.toMatchObject({ code: 'grant_gone' });
    });

    it('cannot be claimed once it has expired, but what was claimed in time is spent', async () => {
      const expire = () => fixture.sql('update grants set expires_at = expires_at - 86400001');
      const late = await issue();
      await claimed();
      await expire();
      await spend();
      expect((await find())?.state).toBe('spent');
      const lateRef = (await find(late))?.ref ?? Number.NaN;
      expect(await transact((tx) => tx.claimGrant(lateRef, '192.0.2.1'))).toBe(false);
    });

    it('does not stand when its key is revoked, not even in mid-upload', async () => {
      await claimed();
      await transact((tx) => tx.revokeAppKey('app', caller.keyId));
      expect((await find())?.callerStands).toBe(false);
      await expect(spend()).rejects.toMatchObject({ code: 'grant_refused' });
    });

    it('does not stand when its application is deleted, nor for another one under the same id', async () => {
      await claimed();
      await transact((tx) => tx.deleteApplication('app'));
      await transact((tx) => tx.createApplication(application()));
      await transact((tx) => tx.createAppKey('app', null));
      expect((await find())?.callerStands).toBe(false);
      await expect(spend()).rejects.toMatchObject({ code: 'grant_refused' });
    });

    it('is revoked when its media is deleted or taken from the application', async () => {
      await claimed();
      await transact((tx) => tx.dissociateMedia('media', 'app'));
      expect((await find())?.state).toBe('revoked');
      await expect(spend()).rejects.toMatchObject({ code: 'grant_gone' });
      await transact((tx) => tx.associateMedia('media', 'app'));
      const second = await issue();
      await transact((tx) => tx.deleteMedia('media'));
      await transact((tx) => tx.createMedia({ id: 'media', name: '', applicationIds: ['app'] }));
      expect((await find(second))?.state).toBe('revoked');
      await transact((tx) => tx.releaseGrant(ref, false));
      expect((await find())?.state).toBe('revoked');
    });
  });
