import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DIALECTS } from '../../test/support/dialects.ts';
import type { StoreFixture } from '../../test/support/store-fixture.ts';
import { application, blast, claim, clip, FIRST_PAGE, provision, result } from '../../test/support/store-fixture.ts';
import type { IssuedGrant } from '../domain/grant.ts';
import type { Transaction, Views } from '../domain/store-port.ts';

const SPENDING = { id: 'clip', digest: 'd'.repeat(64), bytes: 3 };
const DAY_MS = 86_400_000;

for (const dialect of DIALECTS)
  describe(`records of grants, and what is swept, on ${dialect.name}`, () => {
    let fixture: StoreFixture;
    let issued: IssuedGrant;
    let ref: number;
    const transact = <T>(work: (tx: Transaction) => Promise<T>) => fixture.store.transact(work);
    const view = <T>(work: (views: Views) => Promise<T>) => fixture.store.view(work);
    const issue = async (mediaId = 'media', applicationId = 'app'): Promise<IssuedGrant> => {
      const { id: keyId } = await transact((tx) => tx.createAppKey(applicationId, null));
      return transact((tx) => tx.issueGrant({ mediaId, caller: { applicationId, keyId }, ttlSeconds: 86_400 }));
    };
    const record = (id: string | number = ref, applicationId?: string) =>
      view((views) => views.findGrantRecord(String(id), applicationId));
    const refOf = async ({ token }: IssuedGrant) => (await view((views) => views.findGrant(token)))?.ref ?? Number.NaN;
    const claimIt = (grant = ref) => transact((tx) => tx.claimGrant(grant, '192.0.2.1'));
    const agedBy = (ms: number, columns: string) => fixture.sql(`update grants set ${columns} = ${columns} - ${ms}`);
    beforeEach(async () => {
      fixture = await dialect.open();
      await transact((tx) => provision(tx));
      issued = await issue();
      ref = await refOf(issued);
    });
    afterEach(() => fixture.close());

    it('tells who asked, when it was claimed and spent, from where, and by which octets', async () => {
      const before = await record();
      expect(before).toMatchObject({ ref, mediaId: 'media', applicationId: 'app', state: 'open', failedTries: 0 });
      expect(before).toMatchObject({
        claimedAt: null,
        remoteAddress: null,
        spentAt: null,
        revokedAt: null,
        clip: null,
      });
      await claimIt();
      await transact((tx) => tx.spendGrant(ref, SPENDING, 'upload-1'));
      const after = await record();
      expect(after).toMatchObject({ state: 'spent', remoteAddress: '192.0.2.1', clip: SPENDING, revokedAt: null });
      expect(after?.claimedAt).toBeGreaterThanOrEqual(before?.issuedAt ?? Number.NaN);
      expect(after?.spentAt).toBeGreaterThanOrEqual(after?.claimedAt ?? Number.NaN);
      const grant = await view((views) => views.findGrant(issued.token));
      expect(grant?.spentBy).toEqual({ uploadId: 'upload-1', bytes: 3 });
    });

    it('is found by its reference and by its grant id, by its own application only, and by nothing else', async () => {
      expect((await record(issued.grantId))?.ref).toBe(ref);
      expect((await record(ref, 'app'))?.ref).toBe(ref);
      for (const id of [issued.token, '0', '', 'x', `${ref}.0`, '99999', '1'.repeat(20), '9'.repeat(30)])
        expect(await record(id)).toBeNull();
      for (const id of [ref, issued.grantId]) expect(await record(id, 'other')).toBeNull();
    });

    it('is listed newest first, by media and by application', async () => {
      await transact((tx) => tx.createApplication(application({ id: 'other' })));
      await transact((tx) => tx.createMedia({ id: 'second', name: '', applicationIds: ['app', 'other'] }));
      const refs = [ref];
      for (const [mediaId, by] of [
        ['second', 'app'],
        ['second', 'other'],
        ['media', 'app'],
      ] as const)
        refs.push(await refOf(await issue(mediaId, by)));
      const [a, b, c, d] = refs;
      const list = async (filter: { mediaId?: string; applicationId?: string }) =>
        (await view((views) => views.listGrants(FIRST_PAGE, filter))).items.map((item) => item.ref);
      expect(await list({})).toEqual([d, c, b, a]);
      expect(await list({ mediaId: 'second' })).toEqual([c, b]);
      expect(await list({ applicationId: 'app', mediaId: 'second' })).toEqual([b]);
      expect(await list({ applicationId: 'nobody' })).toEqual([]);
      const first = await view((views) => views.listGrants({ limit: 3, cursor: null }, {}));
      const rest = await view((views) => views.listGrants({ limit: 3, cursor: first.next }, {}));
      expect([...first.items, ...rest.items].map((item) => item.ref)).toEqual([d, c, b, a]);
    });

    it('is revoked once, open or claimed, and its parts go; never once it is spent', async () => {
      await transact((tx) => tx.beginPartialUpload(ref, { id: 'u', sizeBytes: 10, metadata: {} }));
      await claimIt();
      const revoke = () => transact((tx) => tx.revokeGrant(ref));
      expect(await revoke()).toBe(true);
      expect(await record()).toMatchObject({ state: 'revoked', revokedAt: expect.any(Number) });
      expect(await view((views) => views.findPartialUpload(ref, 'u'))).toBeNull();
      expect(await revoke()).toBe(false);
      await expect(transact((tx) => tx.spendGrant(ref, SPENDING, null))).rejects.toMatchObject({ code: 'grant_gone' });
      const other = await refOf(await issue());
      await claimIt(other);
      await transact((tx) => tx.spendGrant(other, SPENDING, null));
      expect(await transact((tx) => tx.revokeGrant(other))).toBe(false);
      expect(await record(other)).toMatchObject({ state: 'spent', revokedAt: null });
    });

    it('reads expired once its time is over', async () => {
      await agedBy(DAY_MS - 60_000, 'expires_at');
      expect((await record())?.state).toBe('open');
      await agedBy(120_000, 'expires_at');
      expect((await record())?.state).toBe('expired');
    });

    it('lists the clips of a media, newest first, with their renditions', async () => {
      await fixture.sql('update clips set created_at = created_at - 1000');
      await transact((tx) => tx.insertClip(clip({ id: 'newer' })));
      const listed = (limit = 10) => view((views) => views.listClips('media', limit));
      const renditions = expect.arrayContaining([
        { codec: 'PCMA', bytes: 320 },
        { codec: 'PCMU', bytes: 320 },
      ]);
      expect(await listed()).toMatchObject([
        { id: 'newer', isCurrent: true, durationMs: 40, renditions },
        { id: 'clip', isCurrent: false, digest: 'd'.repeat(64), renditions },
      ]);
      expect((await listed(1)).map(({ id }) => id)).toEqual(['newer']);
      expect(await view((views) => views.listClips('nowhere', 10))).toEqual([]);
    });

    it('keeps replaced clips for a minute and while an unfinished blast pins them, then drops some at a time', async () => {
      await transact((tx) => tx.stageOriginal('clip', 0, Uint8Array.of(1)));
      await transact((tx) => tx.insertBlast(blast()));
      for (const id of ['second', 'current']) await transact((tx) => tx.insertClip(clip({ id })));
      const drop = (limit = 10) => transact((tx) => tx.dropReplacedClips(limit));
      const left = async () => (await fixture.sql('select id from clips order by id')).map((row) => row.id);
      expect(await drop()).toBe(0);
      await fixture.sql('update clips set created_at = created_at - 60001');
      expect(await drop(1)).toBe(1);
      expect(await left()).toEqual(['clip', 'current']);
      const [call] = await transact((tx) => tx.claimCalls(claim()));
      expect(await drop()).toBe(0);
      await transact((tx) => tx.recordOutcome(call?.attemptId ?? '', result('completed')));
      expect(await drop()).toBe(1);
      expect(await left()).toEqual(['current']);
      expect(await view((views) => views.findOriginalPart('clip', 0))).toBeNull();
      expect(await drop()).toBe(0);
    });
  });
