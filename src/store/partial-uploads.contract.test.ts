import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DIALECTS } from '../../test/support/dialects.ts';
import { provision, type StoreFixture } from '../../test/support/store-fixture.ts';
import { PART_BYTES } from '../domain/partial-upload.ts';
import type { Transaction, Views } from '../domain/store-port.ts';

const SPENDING = { id: 'clip', digest: 'd'.repeat(64), bytes: 3 };

for (const dialect of DIALECTS)
  describe(`partial uploads on ${dialect.name}`, () => {
    let fixture: StoreFixture;
    let ref: number;
    const transact = <T>(work: (tx: Transaction) => Promise<T>) => fixture.store.transact(work);
    const view = <T>(work: (views: Views) => Promise<T>) => fixture.store.view(work);
    const issue = async (): Promise<number> => {
      const key = await transact((tx) => tx.createAppKey('app', null));
      const caller = { applicationId: 'app', keyId: key.id };
      const { token } = await transact((tx) => tx.issueGrant({ mediaId: 'media', caller, ttlSeconds: 86_400 }));
      return (await view((views) => views.findGrant(token)))?.ref ?? Number.NaN;
    };
    const begin = (id: string, sizeBytes = 10, grant = ref) =>
      transact((tx) => tx.beginPartialUpload(grant, { id, sizeBytes, metadata: { filename: 'a', plain: null } }));
    const append = (id: string, offset: number, octets: Uint8Array) =>
      transact((tx) => tx.appendToPartialUpload(id, offset, octets));
    const find = (id: string, grant = ref) => view((views) => views.findPartialUpload(grant, id));
    const part = (id: string, number = 0) => view((views) => views.findPartialPart(id, number));
    const left = async () =>
      (await fixture.sql('select upload_id from partial_upload_parts')).map((row) => String(row.upload_id));
    beforeEach(async () => {
      fixture = await dialect.open();
      await transact((tx) => provision(tx));
      ref = await issue();
    });
    afterEach(() => fixture.close());

    it('adds octets at the offset and at no other', async () => {
      await begin('u');
      expect(await find('u')).toEqual({
        id: 'u',
        sizeBytes: 10,
        offsetBytes: 0,
        metadata: { filename: 'a', plain: null },
      });
      expect(await append('u', 0, Buffer.from('abc'))).toBe(true);
      for (const offset of [0, 2, 4]) expect(await append('u', offset, Buffer.from('x'))).toBe(false);
      expect(await append('u', 3, Buffer.from('de'))).toBe(true);
      expect(await append('nobody', 0, Buffer.from('x'))).toBe(false);
      expect((await find('u'))?.offsetBytes).toBe(5);
      expect(Buffer.from((await part('u')) ?? []).toString()).toBe('abcde');
      expect(await find('u', ref + 1)).toBeNull();
    });

    it('lets one of many writers at an offset win', async () => {
      await begin('u');
      const won = await Promise.all(['a', 'b', 'c'].map((octet) => append('u', 0, Buffer.from(octet))));
      expect(won.filter(Boolean)).toHaveLength(1);
    });

    it('counts the last octet as missing, and lets it be sent again', async () => {
      await begin('u');
      expect(await append('u', 0, Buffer.from('0123456789x'))).toBe(false);
      expect(await append('u', 0, Buffer.from('0123456789'))).toBe(true);
      expect((await find('u'))?.offsetBytes).toBe(9);
      expect(await append('u', 9, Buffer.from('!'))).toBe(true);
      expect(Buffer.from((await part('u')) ?? []).toString()).toBe('012345678!');
    });

    it('keeps parts of 1 MiB, and refuses octets that reach into the next', async () => {
      await begin('u', 2 * PART_BYTES + 1);
      await append('u', 0, new Uint8Array(PART_BYTES).fill(1));
      await append('u', PART_BYTES, new Uint8Array(PART_BYTES - 1).fill(2));
      await expect(append('u', 2 * PART_BYTES - 1, new Uint8Array(2))).rejects.toThrow(/not within one part/);
      expect((await find('u'))?.offsetBytes).toBe(2 * PART_BYTES - 1);
      await append('u', 2 * PART_BYTES - 1, new Uint8Array([3]));
      await append('u', 2 * PART_BYTES, new Uint8Array([4]));
      expect((await part('u', 0))?.length).toBe(PART_BYTES);
      expect((await part('u', 1))?.at(-1)).toBe(3);
      expect([...((await part('u', 2)) ?? [])]).toEqual([4]);
      expect(await part('u', 3)).toBeNull();
    });

    it('keeps four of a grant: with a fifth the oldest goes, with all its parts', async () => {
      const other = await issue();
      await begin('other', 10, other);
      for (const id of ['a', 'b', 'c', 'd']) {
        await begin(id);
        await append(id, 0, Buffer.from('x'));
      }
      await begin('e');
      expect(await find('a')).toBeNull();
      expect((await left()).sort()).toEqual(['b', 'c', 'd']);
      expect(await find('other', other)).not.toBeNull();
    });

    it('drops one upload of its own grant', async () => {
      await begin('u');
      await append('u', 0, Buffer.from('x'));
      expect(await transact((tx) => tx.dropPartialUpload(ref + 1, 'u'))).toBe(false);
      expect(await transact((tx) => tx.dropPartialUpload(ref, 'u'))).toBe(true);
      expect(await transact((tx) => tx.dropPartialUpload(ref, 'u'))).toBe(false);
      expect(await left()).toEqual([]);
    });

    it('drops them with the grant: spent, revoked or expired, at start too; not while it is claimed', async () => {
      const refs = {
        spent: ref,
        revoked: await issue(),
        expired: await issue(),
        claimed: await issue(),
        open: await issue(),
      };
      const uploads = async () => {
        for (const [id, grant] of Object.entries(refs)) {
          await begin(id, 10, grant);
          await append(id, 0, Buffer.from('x'));
        }
      };
      await uploads();
      await transact((tx) => tx.claimGrant(refs.spent, '192.0.2.1'));
      await transact((tx) => tx.spendGrant(refs.spent, SPENDING, null));
      expect((await left()).sort()).toEqual(['claimed', 'expired', 'open', 'revoked']);
      await fixture.sql("update grants set state = 'revoked' where seq = ?", refs.revoked);
      await fixture.sql('update grants set expires_at = 1 where seq = ?', refs.expired);
      await transact((tx) => tx.claimGrant(refs.claimed, '192.0.2.1'));
      await fixture.sql('update grants set expires_at = 1 where seq = ?', refs.claimed);
      expect(await transact((tx) => tx.dropDeadPartialUploads())).toBe(2);
      expect((await left()).sort()).toEqual(['claimed', 'open']);
      await transact((tx) => tx.releaseGrant(refs.claimed, false));
      await transact((tx) => tx.sweep());
      expect(await left()).toEqual(['open']);
      await transact((tx) => tx.deleteMedia('media'));
      expect(await left()).toEqual([]);
    });
  });
