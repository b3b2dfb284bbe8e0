import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DIALECTS } from '../../test/support/dialects.ts';
import { application, FIRST_PAGE, network, type StoreFixture, trunk } from '../../test/support/store-fixture.ts';
import type { Transaction, Views } from '../domain/store-port.ts';

for (const dialect of DIALECTS)
  describe(`applications, trunks and networks on ${dialect.name}`, () => {
    let fixture: StoreFixture;
    beforeEach(async () => {
      fixture = await dialect.open();
    });
    afterEach(() => fixture.close());
    const transact = <T>(work: (tx: Transaction) => Promise<T>) => fixture.store.transact(work);
    const view = <T>(work: (views: Views) => Promise<T>) => fixture.store.view(work);

    it('keeps an application as it was made, under the id that was given', async () => {
      const silences = { leadInMs: 20, gapMs: 0, tailMs: 5000 };
      const retry = { maxAttempts: 3, delaySeconds: 5, on: ['busy', 'no_answer'] } as const;
      await transact((tx) => tx.createMedia({ id: 'hello', name: '', applicationIds: [] }));
      await transact((tx) =>
        tx.createApplication(application({ id: '007', defaultGreetingId: 'hello', retry, silences })),
      );
      const found = await view((views) => views.findApplication('007'));
      expect(found).toEqual({
        ...application({ id: '007', defaultGreetingId: 'hello', retry, silences }),
        createdAt: expect.any(Number),
      });
      expect(Math.abs((found?.createdAt ?? 0) - Date.now())).toBeLessThan(60_000);
      expect(await view((views) => views.findApplication('7'))).toBeNull();
    });

    it('allocates decimal ids from 101 on, and skips those that are taken', async () => {
      await transact((tx) => tx.createApplication(application({ id: '102' })));
      const create = () => transact((tx) => tx.createApplication(application({ id: null })));
      expect((await Promise.all([create(), create()])).sort()).toEqual(['101', '103']);
      await transact((tx) => tx.deleteApplication('103'));
      expect(await create()).toBe('104');
    });

    it('refuses an id that is taken', async () => {
      await transact((tx) => tx.createTrunk(trunk()));
      await transact((tx) => tx.createApplication(application()));
      await transact((tx) => tx.createNetwork(network()));
      await transact((tx) => tx.createMedia({ id: 'media', name: '', applicationIds: [] }));
      const taken = { code: 'duplicate_id', field: 'id' };
      await expect(transact((tx) => tx.createApplication(application()))).rejects.toMatchObject(taken);
      await expect(transact((tx) => tx.createTrunk(trunk()))).rejects.toMatchObject(taken);
      await expect(transact((tx) => tx.createNetwork(network()))).rejects.toMatchObject(taken);
      const again = transact((tx) => tx.createMedia({ id: 'media', name: '', applicationIds: [] }));
      await expect(again).rejects.toMatchObject(taken);
    });

    it('names the field that points to nothing', async () => {
      const unknown = (field: string) => ({ code: 'invalid_field', field });
      const withGreeting = application({ defaultGreetingId: 'nowhere' });
      await expect(transact((tx) => tx.createApplication(withGreeting))).rejects.toMatchObject(
        unknown('defaultGreetingId'),
      );
      const settings = transact((tx) => tx.replaceSettings({ defaultGreetingId: 'nowhere' }));
      await expect(settings).rejects.toMatchObject(unknown('defaultGreetingId'));
      const overTrunk = network({ trunkIds: ['nowhere'], applicationIds: [] });
      await expect(transact((tx) => tx.createNetwork(overTrunk))).rejects.toMatchObject(unknown('trunkIds'));
      await expect(transact((tx) => tx.createNetwork(network()))).rejects.toMatchObject(unknown('applicationIds'));
      const media = transact((tx) => tx.createMedia({ id: null, name: '', applicationIds: ['nowhere'] }));
      await expect(media).rejects.toMatchObject(unknown('applicationIds'));
      expect((await view((views) => views.listNetworks(FIRST_PAGE))).items).toEqual([]);
    });

    it('replaces an application and keeps its age', async () => {
      await transact((tx) => tx.createApplication(application()));
      const before = await view((views) => views.findApplication('app'));
      expect(await transact((tx) => tx.replaceApplication('app', application({ name: 'Other' })))).toBe(true);
      expect(await view((views) => views.findApplication('app'))).toEqual({ ...before, name: 'Other' });
      expect(await transact((tx) => tx.replaceApplication('nowhere', application()))).toBe(false);
    });

    it('keeps the settings', async () => {
      expect(await view((views) => views.findSettings())).toEqual({ defaultGreetingId: null });
      await transact((tx) => tx.createMedia({ id: 'hello', name: '', applicationIds: [] }));
      await transact((tx) => tx.replaceSettings({ defaultGreetingId: 'hello' }));
      expect(await view((views) => views.findSettings())).toEqual({ defaultGreetingId: 'hello' });
    });

    it('keeps a trunk and seals its password', async () => {
      await transact((tx) => tx.createTrunk(trunk()));
      const { password, ...rest } = trunk();
      const kept = { ...rest, hasPassword: true, createdAt: expect.any(Number) };
      expect(await view((views) => views.findTrunk('trunk'))).toEqual(kept);
      expect(JSON.stringify(await fixture.sql('select * from trunks'))).not.toContain(password);
      await transact((tx) => tx.replaceTrunk('trunk', rest));
      expect(await view((views) => views.findTrunk('trunk'))).toEqual(kept);
      await transact((tx) => tx.replaceTrunk('trunk', trunk({ password: null, port: 5080 })));
      expect(await view((views) => views.findTrunk('trunk'))).toEqual({ ...kept, hasPassword: false, port: 5080 });
      await transact((tx) => tx.replaceTrunk('trunk', trunk({ port: null, register: true })));
      expect(await view((views) => views.findTrunk('trunk'))).toEqual({ ...kept, port: null, register: true });
      expect(await transact((tx) => tx.replaceTrunk('nowhere', trunk()))).toBe(false);
    });

    it('gives out user name and password of a trunk that has both', async () => {
      const credentials = (id = 'trunk') => view((views) => views.findTrunkCredentials(id));
      await transact((tx) => tx.createTrunk(trunk()));
      expect(await credentials()).toEqual({ username: 'ringcast', password: 'correct horse' });
      await transact((tx) => tx.replaceTrunk('trunk', trunk({ username: null })));
      expect(await credentials()).toBeNull();
      await transact((tx) => tx.replaceTrunk('trunk', trunk({ password: null })));
      expect([await credentials(), await credentials('nowhere')]).toEqual([null, null]);
    });

    it('deletes a trunk only when no network names it', async () => {
      await transact((tx) => tx.createTrunk(trunk()));
      await transact((tx) => tx.createNetwork(network({ trunkIds: ['trunk'], applicationIds: [] })));
      await expect(transact((tx) => tx.deleteTrunk('trunk'))).rejects.toMatchObject({ code: 'in_use' });
      await transact((tx) => tx.replaceNetwork('net', network({ applicationIds: [] })));
      expect(await transact((tx) => tx.deleteTrunk('trunk'))).toBe(true);
      expect(await transact((tx) => tx.deleteTrunk('trunk'))).toBe(false);
    });

    it('keeps a network: destinations and trunks in their order', async () => {
      await transact((tx) => tx.createApplication(application()));
      for (const id of ['z', 'a']) await transact((tx) => tx.createTrunk(trunk({ id })));
      const made = network({
        destinations: ['+15551230000', 'sip:z@x', 'sip:a@x'],
        trunkIds: ['z', 'a'],
        callerId: '+1',
      });
      await transact((tx) => tx.createNetwork(made));
      expect(await view((views) => views.findNetwork('net'))).toEqual({ ...made, createdAt: expect.any(Number) });
      const replaced = network({ destinations: ['sip:one@x'], applicationIds: [], name: 'Few' });
      expect(await transact((tx) => tx.replaceNetwork('net', replaced))).toBe(true);
      expect(await view((views) => views.findNetwork('net'))).toEqual({ ...replaced, createdAt: expect.any(Number) });
      expect(await transact((tx) => tx.replaceNetwork('nowhere', replaced))).toBe(false);
    });

    it('keeps a network of more destinations than one statement takes', async () => {
      const destinations = Array.from({ length: 1203 }, (_, at) => `sip:${at}@127.0.0.1`);
      await transact((tx) => tx.createNetwork(network({ destinations, applicationIds: [] })));
      expect((await view((views) => views.findNetwork('net')))?.destinations).toEqual(destinations);
    });

    it('associates and dissociates a network, any number of times', async () => {
      await transact((tx) => tx.createApplication(application()));
      await transact((tx) => tx.createNetwork(network({ applicationIds: [] })));
      const associated = () => view((views) => views.isAssociated('net', 'app'));
      expect(await associated()).toBe(false);
      for (const _ of [1, 2]) expect(await transact((tx) => tx.associateNetwork('net', 'app'))).toBe(true);
      expect(await associated()).toBe(true);
      for (const _ of [1, 2]) expect(await transact((tx) => tx.dissociateNetwork('net', 'app'))).toBe(true);
      expect(await associated()).toBe(false);
      expect(await transact((tx) => tx.associateNetwork('nowhere', 'app'))).toBe(false);
      expect(await transact((tx) => tx.associateNetwork('net', 'nowhere'))).toBe(false);
      expect(await transact((tx) => tx.dissociateNetwork('net', 'nowhere'))).toBe(false);
    });

    it('tells outsiders nothing apart: nobody is associated with what is unknown', async () => {
      await transact((tx) => tx.createApplication(application()));
      await transact((tx) => tx.createNetwork(network()));
      const asked = [
        ['net', null],
        ['nowhere', null],
        ['nowhere', 'app'],
        ['net', 'other'],
        ['', ''],
      ] as const;
      for (const [id, applicationId] of asked)
        expect(await view((views) => views.isAssociated(id, applicationId))).toBe(false);
      expect(await view((views) => views.isAssociated('net', 'app'))).toBe(true);
    });

    it('finds the routes of a network', async () => {
      await transact((tx) => tx.createTrunk(trunk()));
      const many = Array.from({ length: 150 }, (_, at) => `sip:${at}@127.0.0.1`);
      await transact((tx) => tx.createNetwork(network({ destinations: many, applicationIds: [] })));
      const over = network({
        id: 'over',
        destinations: ['+15551230000', 'sip:a@x'],
        trunkIds: ['trunk'],
        applicationIds: [],
      });
      await transact((tx) => tx.createNetwork(over));
      const routes = await view((views) => views.findRoutes('net'));
      expect(routes).toEqual({ trunkIds: [], directUris: many.slice(0, 100), destinationCount: 150 });
      const trunked = await view((views) => views.findRoutes('over'));
      expect(trunked).toEqual({ trunkIds: ['trunk'], directUris: [], destinationCount: 2 });
      expect(await view((views) => views.findRoutes('nowhere'))).toBeNull();
    });

    it('lists the URIs that are dialled without a trunk, each once', async () => {
      await transact((tx) => tx.createTrunk(trunk()));
      const at = (id: string, destinations: string[], trunkIds: string[] = []) =>
        transact((tx) => tx.createNetwork(network({ id, destinations, trunkIds, applicationIds: [] })));
      await at('one', ['sip:a@x', 'sip:b@x']);
      await at('two', ['sip:b@x', 'sips:c@x']);
      await at('three', ['sip:d@x', '+15551230000'], ['trunk']);
      const uris = await view((views) => views.listDirectUris(100));
      expect([...uris].sort()).toEqual(['sip:a@x', 'sip:b@x', 'sips:c@x']);
      expect(await view((views) => views.listDirectUris(2))).toHaveLength(2);
    });

    it('lists newest first, page by page', async () => {
      await transact((tx) => tx.createApplication(application()));
      for (const id of ['a', 'b', 'c', 'd', 'e'])
        await transact((tx) => tx.createNetwork(network({ id, applicationIds: id === 'c' ? [] : ['app'] })));
      const ids = async (limit: number, cursor: string | null, applicationId?: string) => {
        const { items, next } = await view((views) => views.listNetworks({ limit, cursor }, applicationId));
        return { ids: items.map((item) => item.id).join(''), next };
      };
      const first = await ids(2, null);
      expect(first).toEqual({ ids: 'ed', next: expect.any(String) });
      const second = await ids(2, first.next);
      expect(second.ids).toBe('cb');
      expect(await ids(2, second.next)).toEqual({ ids: 'a', next: null });
      expect(await ids(5, null)).toEqual({ ids: 'edcba', next: null });
      expect(await ids(5, null, 'app')).toEqual({ ids: 'edba', next: null });
      expect(await ids(5, null, 'nowhere')).toEqual({ ids: '', next: null });
    });

    it('refuses a cursor that it never gave out', async () => {
      const refusal = { code: 'invalid_parameter', field: 'cursor' };
      for (const cursor of [
        '',
        'x',
        '-1',
        Buffer.from('0').toString('base64url'),
        `${Buffer.from('7').toString('base64url')}=`,
      ]) {
        const page = { limit: 10, cursor };
        await expect(view((views) => views.listApplications(page))).rejects.toMatchObject(refusal);
        await expect(view((views) => views.listTrunks(page))).rejects.toMatchObject(refusal);
        await expect(view((views) => views.listNetworks(page))).rejects.toMatchObject(refusal);
        await expect(view((views) => views.listMedia(page))).rejects.toMatchObject(refusal);
        await expect(view((views) => views.listBlasts(page))).rejects.toMatchObject(refusal);
        await expect(view((views) => views.listCalls(page))).rejects.toMatchObject(refusal);
      }
    });

    it('bounds a page whatever is asked', async () => {
      for (let at = 0; at < 202; at++) await transact((tx) => tx.createTrunk(trunk({ id: null })));
      const page = await view((views) => views.listTrunks({ limit: 1_000_000, cursor: null }));
      expect(page.items).toHaveLength(200);
      expect(page.next).not.toBeNull();
      expect((await view((views) => views.listTrunks({ limit: 0, cursor: null }))).items).toHaveLength(1);
    });
  });
