import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DIALECTS } from '../../test/support/dialects.ts';
import { renditionsOf } from '../../test/support/renditions.ts';
import {
  application,
  blast,
  claim,
  clip,
  FIRST_PAGE,
  LOUDNESS,
  provision,
  result,
  type StoreFixture,
} from '../../test/support/store-fixture.ts';
import { CODECS } from '../domain/codec.ts';
import { DEFAULT_PROCESSING, NO_PROCESSING } from '../domain/media.ts';
import type { Transaction, Views } from '../domain/store-port.ts';

for (const dialect of DIALECTS)
  describe(`media and clips on ${dialect.name}`, () => {
    let fixture: StoreFixture;
    beforeEach(async () => {
      fixture = await dialect.open();
      await transact((tx) => provision(tx));
    });
    afterEach(() => fixture.close());
    const transact = <T>(work: (tx: Transaction) => Promise<T>) => fixture.store.transact(work);
    const view = <T>(work: (views: Views) => Promise<T>) => fixture.store.view(work);
    const rendition = (clipId: string) => view((views) => views.findRendition(clipId, 'PCMU'));
    const finish = (attemptId: string) => transact((tx) => tx.recordOutcome(attemptId, result('completed')));

    it('keeps a media and what its current clip is', async () => {
      await transact((tx) => tx.createMedia({ id: 'empty', name: 'Later', applicationIds: [] }));
      const media = await view((views) => views.findMedia('media'));
      const kept = { id: 'clip', digest: 'd'.repeat(64), originalBytes: 3, originalType: 'audio/wav', frameCount: 2 };
      expect(media).toEqual({
        id: 'media',
        name: 'News',
        applicationIds: ['app'],
        processing: DEFAULT_PROCESSING,
        clip: { ...kept, durationMs: 40, loudness: LOUDNESS, createdAt: expect.any(Number) },
        createdAt: expect.any(Number),
      });
      expect(await view((views) => views.findMedia('empty'))).toMatchObject({ name: 'Later', clip: null });
      expect(await view((views) => views.findMedia('nowhere'))).toBeNull();
      const ids = async (applicationId?: string) =>
        (await view((views) => views.listMedia(FIRST_PAGE, applicationId))).items.map((item) => item.id);
      expect(await ids()).toEqual(['empty', 'media']);
      expect(await ids('app')).toEqual(['media']);
    });

    it('gives renditions and the original back octet for octet', async () => {
      const parts = [new Uint8Array(1_048_576).fill(9), Uint8Array.of(0, 255, 7)];
      for (const [part, octets] of parts.entries()) await transact((tx) => tx.stageOriginal('clip', part, octets));
      expect(await rendition('clip')).toEqual(new Uint8Array(320).fill(1));
      expect(await view((views) => views.findRendition('clip', 'PCMA'))).toEqual(new Uint8Array(320).fill(2));
      for (const [part, octets] of parts.entries())
        expect(await view((views) => views.findOriginalPart('clip', part))).toEqual(octets);
      expect(await view((views) => views.findOriginalPart('clip', 2))).toBeNull();
      expect(await rendition('nowhere')).toBeNull();
      const large = transact((tx) => tx.stageOriginal('clip', 3, new Uint8Array(1_048_577)));
      await expect(large).rejects.toThrow(RangeError);
    });

    it('keeps what is done to the sound of a media', async () => {
      const plain = { id: 'plain', name: '', applicationIds: [], processing: NO_PROCESSING };
      await transact((tx) => tx.createMedia(plain));
      expect(await view((views) => views.findMedia('plain'))).toMatchObject({ processing: NO_PROCESSING });
    });

    it('gives a clip a whole set of renditions, unless it is gone', async () => {
      expect(await view((views) => views.findIncompleteClips())).toEqual([]);
      for (const id of ['clip', 'nowhere']) await transact((tx) => tx.completeClip(id, renditionsOf(2, 77)));
      for (const codec of CODECS) {
        const octets = await view((views) => views.findRendition('clip', codec));
        expect(octets).toEqual(renditionsOf(2, 77)[codec]);
        expect(await view((views) => views.findRendition('nowhere', codec))).toBeNull();
      }
    });

    it('leaves older clips as they were when a newer one is committed', async () => {
      await transact((tx) => tx.insertClip(clip({ id: 'newer' }, 50)));
      expect((await view((views) => views.findMedia('media')))?.clip?.id).toBe('newer');
      expect(await rendition('clip')).toEqual(new Uint8Array(320).fill(1));
      expect(await rendition('newer')).toEqual(new Uint8Array(320).fill(50));
    });

    it('takes no clip for a media that is gone', async () => {
      const late = transact((tx) => tx.insertClip(clip({ id: 'late', mediaId: 'nowhere' })));
      await expect(late).rejects.toMatchObject({ code: 'not_found' });
      expect(await rendition('late')).toBeNull();
    });

    it('tells which media can be played, in one question', async () => {
      await transact((tx) => tx.createMedia({ id: 'empty', name: '', applicationIds: ['app'] }));
      await transact((tx) => tx.createMedia({ id: 'foreign', name: '', applicationIds: [] }));
      await transact((tx) => tx.insertClip(clip({ id: 'clip2', mediaId: 'foreign' })));
      const asked = ['media', 'empty', 'foreign', 'nowhere', 'media'];
      const playable = (ids: readonly string[], applicationId: string | null) =>
        view(async (views) => Object.fromEntries(await views.findPlayable(ids, applicationId)));
      expect(await playable(asked, 'app')).toEqual({ media: { clipId: 'clip', frameCount: 2 } });
      expect(Object.keys(await playable(asked, null)).sort()).toEqual(['foreign', 'media']);
      expect(await playable(asked, 'nowhere')).toEqual({});
      expect(await playable([], 'app')).toEqual({});
      expect(Object.keys(await playable([...Array(200).keys()].map(String).concat('media'), 'app'))).toEqual(['media']);
    });

    it('associates media, and tells outsiders nothing apart', async () => {
      const owned = (id: string, applicationId: string | null) =>
        view((views) => views.isMediaOwned(id, applicationId));
      await transact((tx) => tx.createApplication(application({ id: 'other' })));
      const asked = [
        ['media', null],
        ['nowhere', null],
        ['nowhere', 'app'],
        ['media', 'other'],
        ['', ''],
      ] as const;
      for (const [id, applicationId] of asked) expect(await owned(id, applicationId)).toBe(false);
      expect(await owned('media', 'app')).toBe(true);
      for (const _ of [1, 2]) expect(await transact((tx) => tx.associateMedia('media', 'other'))).toBe(true);
      expect(await owned('media', 'other')).toBe(true);
      for (const _ of [1, 2]) expect(await transact((tx) => tx.dissociateMedia('media', 'other'))).toBe(true);
      expect(await owned('media', 'other')).toBe(false);
      expect(await transact((tx) => tx.associateMedia('nowhere', 'other'))).toBe(false);
      expect(await transact((tx) => tx.dissociateMedia('media', 'nowhere'))).toBe(false);
    });

    it('keeps a default greeting from being deleted', async () => {
      const refused = () => expect(transact((tx) => tx.deleteMedia('media'))).rejects.toMatchObject({ code: 'in_use' });
      await transact((tx) => tx.replaceSettings({ defaultGreetingId: 'media' }));
      await refused();
      await transact((tx) => tx.replaceSettings({ defaultGreetingId: null }));
      await transact((tx) => tx.replaceApplication('app', application({ defaultGreetingId: 'media' })));
      await refused();
      await transact((tx) => tx.replaceApplication('app', application()));
      expect(await transact((tx) => tx.deleteMedia('media'))).toBe(true);
      expect(await transact((tx) => tx.deleteMedia('media'))).toBe(false);
    });

    it('drops the clips of a deleted media, but not one that a call is going to play', async () => {
      await transact((tx) => tx.insertClip(clip({ id: 'newer' })));
      await transact((tx) => tx.stageOriginal('newer', 0, Uint8Array.of(1)));
      await transact((tx) => tx.insertBlast(blast()));
      await transact((tx) => tx.deleteMedia('media'));
      expect(await view((views) => views.findMedia('media'))).toBeNull();
      expect(await rendition('newer')).toBeNull();
      expect(await view((views) => views.findOriginalPart('newer', 0))).toBeNull();
      expect(await rendition('clip')).not.toBeNull();
    });

    it('drops, when it starts, the clips that nothing holds', async () => {
      await transact((tx) => tx.insertBlast(blast()));
      await transact((tx) => tx.insertClip(clip({ id: 'newer' })));
      const [call] = await transact((tx) => tx.claimCalls(claim()));
      await transact((tx) => tx.sweep());
      expect(await rendition('clip')).not.toBeNull();
      await finish(call?.attemptId ?? '');
      await transact((tx) => tx.sweep());
      expect(await rendition('clip')).toBeNull();
      expect(await rendition('newer')).not.toBeNull();
    });

    it('drops the parts of an upload that came to nothing, but not those of a clip', async () => {
      for (const id of ['clip', 'cut']) await transact((tx) => tx.stageOriginal(id, 0, Uint8Array.of(1)));
      for (const id of ['clip', 'cut', 'nowhere']) await transact((tx) => tx.dropStaged(id));
      expect(await view((views) => views.findOriginalPart('clip', 0))).toEqual(Uint8Array.of(1));
      expect(await view((views) => views.findOriginalPart('cut', 0))).toBeNull();
    });
  });
