import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DIALECTS } from '../../test/support/dialects.ts';
import { application, network, type StoreFixture } from '../../test/support/store-fixture.ts';
import type { Transaction, Views } from '../domain/store-port.ts';

for (const dialect of DIALECTS)
  describe(`app keys on ${dialect.name}`, () => {
    let fixture: StoreFixture;
    beforeEach(async () => {
      fixture = await dialect.open();
      await transact((tx) => tx.createApplication(application()));
      await transact((tx) => tx.createApplication(application({ id: 'other' })));
    });
    afterEach(() => fixture.close());
    const transact = <T>(work: (tx: Transaction) => Promise<T>) => fixture.store.transact(work);
    const view = <T>(work: (views: Views) => Promise<T>) => fixture.store.view(work);
    const caller = (secret: string) => view((views) => views.findCaller(secret));

    it('makes keys that tell who calls', async () => {
      const keys = await Promise.all([1, 2, 3].map(() => transact((tx) => tx.createAppKey('app', null))));
      expect(new Set(keys.map((key) => key.secret)).size).toBe(3);
      for (const { id, secret } of keys) {
        expect(secret).toMatch(/^rk_[A-Za-z0-9_-]{32}$/);
        expect(await caller(secret)).toEqual({ applicationId: 'app', keyId: id });
      }
    });

    it('imports a key, and never keeps it', async () => {
      const key = await transact((tx) => tx.createAppKey('app', 'imported-key-0123456789'));
      expect(key.secret).toBe('imported-key-0123456789');
      expect(await caller('imported-key-0123456789')).toEqual({ applicationId: 'app', keyId: key.id });
      expect(await caller('Imported-key-0123456789')).toBeNull();
      expect(JSON.stringify(await fixture.sql('select * from app_keys'))).not.toContain('imported');
    });

    it('refuses a key that is in use by anyone', async () => {
      await transact((tx) => tx.createAppKey('app', 'imported-key-0123456789'));
      for (const id of ['app', 'other']) {
        const again = transact((tx) => tx.createAppKey(id, 'imported-key-0123456789'));
        await expect(again).rejects.toMatchObject({ code: 'duplicate_id', field: 'appKey' });
      }
      await expect(transact((tx) => tx.createAppKey('nowhere', null))).rejects.toMatchObject({ code: 'not_found' });
    });

    it('revokes one key of an application', async () => {
      const first = await transact((tx) => tx.createAppKey('app', null));
      const second = await transact((tx) => tx.createAppKey('app', null));
      expect(await transact((tx) => tx.revokeAppKey('other', first.id))).toBe(false);
      expect(await transact((tx) => tx.revokeAppKey('app', first.id))).toBe(true);
      expect(await transact((tx) => tx.revokeAppKey('app', first.id))).toBe(false);
      expect(await caller(first.secret)).toBeNull();
      expect(await caller(second.secret)).not.toBeNull();
      const later = await transact((tx) => tx.createAppKey('app', first.secret));
      expect(later.id).not.toBe(first.id);
    });

    it('takes keys and associations away with their application, and nothing else', async () => {
      const key = await transact((tx) => tx.createAppKey('app', null));
      await transact((tx) => tx.createNetwork(network({ applicationIds: ['app', 'other'] })));
      await transact((tx) => tx.createMedia({ id: 'media', name: '', applicationIds: ['app', 'other'] }));
      expect(await transact((tx) => tx.deleteApplication('app'))).toBe(true);
      expect(await transact((tx) => tx.deleteApplication('app'))).toBe(false);
      expect(await caller(key.secret)).toBeNull();
      expect((await view((views) => views.findNetwork('net')))?.applicationIds).toEqual(['other']);
      expect((await view((views) => views.findMedia('media')))?.applicationIds).toEqual(['other']);
    });
  });
