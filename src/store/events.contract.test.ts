import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DIALECTS } from '../../test/support/dialects.ts';
import {
  application,
  blast,
  claim,
  clip,
  network,
  provision,
  result,
  type StoreFixture,
  trunk,
} from '../../test/support/store-fixture.ts';
import type { Event } from '../domain/event.ts';

describe.each(DIALECTS)('events on $name', (dialect) => {
  let fixture: StoreFixture;
  beforeEach(async () => {
    fixture = await dialect.open();
  });
  afterEach(() => fixture.close());

  const publish = () => fixture.store.transact((tx) => tx.publishEvents());
  const published = async (afterId = '0', applicationId = 'app'): Promise<readonly Event[]> => {
    await publish();
    return fixture.store.view((views) => views.listEvents(applicationId, afterId, 100));
  };
  const typesAfter = async (afterId: string) => (await published(afterId)).map(({ type }) => type);
  const lastId = async () => {
    await publish();
    return (await fixture.store.view((views) => views.readEventRange())).lastId;
  };

  it('are written with the facts of a blast, and come in their order', async () => {
    const { store } = fixture;
    await store.transact((tx) => provision(tx));
    const before = await lastId();
    await store.transact((tx) => tx.insertBlast(blast()));
    const [claimed] = await store.transact((tx) => tx.claimCalls(claim()));
    const attemptId = claimed?.attemptId ?? '';
    await store.transact((tx) => tx.recordRinging(attemptId, null));
    await store.transact((tx) => tx.recordAnswered(attemptId, 'PCMU', null));
    await store.transact((tx) => tx.recordDigit(attemptId, '5'));
    await store.transact((tx) => tx.recordOutcome(attemptId, result('completed')));
    const ofBlast = { blastId: 'blast', callId: null, outcome: null };
    const ofCall = { blastId: 'blast', callId: 'blast-1', outcome: null };
    expect(await published(before)).toMatchObject([
      { type: 'blast.accepted', ...ofBlast },
      { type: 'call.ringing', ...ofCall },
      { type: 'call.answered', ...ofCall },
      { type: 'call.digit', ...ofCall, detail: '5' },
      { type: 'call.finished', ...ofCall, outcome: 'completed' },
      { type: 'blast.finished', ...ofBlast, detail: 'finished' },
    ]);
  });

  it('tell of each call of a cancelled blast, then of its end; nothing of work that is rolled back', async () => {
    const { store } = fixture;
    await store.transact((tx) => provision(tx, ['sip:a@127.0.0.1', 'sip:b@127.0.0.1']));
    const before = await lastId();
    await store.transact((tx) => tx.insertBlast(blast()));
    const undone = store.transact(async (tx) => {
      await tx.insertBlast(blast({ id: 'undone' }));
      throw new Error('no');
    });
    await expect(undone).rejects.toThrow();
    await store.transact((tx) => tx.cancelBlast('blast'));
    const events = await published(before);
    expect(events.map(({ type }) => type)).toEqual([
      'blast.accepted',
      'call.finished',
      'call.finished',
      'blast.finished',
    ]);
    expect(events.at(-1)).toMatchObject({ blastId: 'blast', detail: 'cancelled' });
  });

  it('of a blast that calls nobody are its acceptance and its end', async () => {
    const { store } = fixture;
    await store.transact((tx) => provision(tx, []));
    const before = await lastId();
    await store.transact((tx) => tx.insertBlast(blast()));
    expect(await typesAfter(before)).toEqual(['blast.accepted', 'blast.finished']);
  });

  it('tell every application that owns it of new media, and only its own of a grant', async () => {
    const { store } = fixture;
    await store.transact(async (tx) => {
      await tx.createApplication(application());
      await tx.createApplication(application({ id: 'other' }));
      await tx.createMedia({ id: 'media', name: '', applicationIds: ['app', 'other'] });
    });
    const key = await store.transact((tx) => tx.createAppKey('app', null));
    const caller = { applicationId: 'app', keyId: key.id };
    const { token } = await store.transact((tx) => tx.issueGrant({ mediaId: 'media', caller, ttlSeconds: 60 }));
    const ref = (await store.view((views) => views.findGrant(token)))?.ref ?? 0;
    await store.transact((tx) => tx.claimGrant(ref, '192.0.2.1'));
    await store.transact(async (tx) => {
      await tx.insertClip(clip());
      await tx.spendGrant(ref, { id: 'clip', digest: 'digest', bytes: 1 }, null);
    });
    expect(await published()).toMatchObject([
      { type: 'media.ready', mediaId: 'media' },
      { type: 'grant.spent', mediaId: 'media' },
    ]);
    expect(await published('0', 'other')).toMatchObject([{ type: 'media.ready', mediaId: 'media' }]);
  });

  it('tell of a trunk once for each change, whoever may call over it', async () => {
    const { store } = fixture;
    await store.transact(async (tx) => {
      for (const id of ['app', 'second', 'stranger']) await tx.createApplication(application({ id }));
      await tx.createTrunk(trunk());
      for (const id of ['net', 'net2'])
        await tx.createNetwork(
          network({ id, destinations: [], trunkIds: ['trunk'], applicationIds: ['app', 'second'] }),
        );
    });
    for (const state of ['up', 'down', 'down', 'up', 'up'] as const)
      await store.transact((tx) => tx.noteTrunkState('trunk', state));
    await store.transact((tx) => tx.noteTrunkState('unknown', 'down'));
    for (const id of ['app', 'second'])
      expect(await published('0', id)).toMatchObject([
        { type: 'trunk.down', trunkId: 'trunk' },
        { type: 'trunk.up', trunkId: 'trunk' },
      ]);
    expect(await published('0', 'stranger')).toEqual([]);
  });

  it('get ids after their commit, so that one who reads on misses none', async () => {
    const { store } = fixture;
    await store.transact((tx) => provision(tx));
    const seen = new Set<string>();
    let after = await lastId();
    const readers = { done: false };
    const read = async () => {
      while (!readers.done) {
        const events = await store.view((views) => views.listEvents('app', after, 100));
        for (const { blastId } of events) seen.add(blastId ?? '');
        after = events.at(-1)?.id ?? after;
        await publish();
      }
    };
    const reading = Promise.all([read(), publish(), publish()]);
    const names = Array.from({ length: 60 }, (_, number) => `b${number}`);
    await Promise.all(names.map((id) => store.transact((tx) => tx.insertBlast(blast({ id })))));
    await publish();
    readers.done = true;
    await reading;
    for (const { blastId } of await store.view((views) => views.listEvents('app', after, 100))) seen.add(blastId ?? '');
    expect([...seen].sort()).toEqual([...names].sort());
  });

  it('are kept for seven days, and what is no longer there can be told', async () => {
    const { store } = fixture;
    await store.transact((tx) => provision(tx));
    await store.transact((tx) => tx.insertBlast(blast({ id: 'old' })));
    const old = await lastId();
    await store.transact((tx) => tx.insertBlast(blast({ id: 'new' })));
    await publish();
    expect(await store.transact((tx) => tx.sweepEvents())).toBe(0);
    await fixture.sql('update events set at = at - 605000000 where position <= ?', Number(old));
    expect(await store.transact((tx) => tx.sweepEvents())).toBe(Number(old));
    expect(await published()).toMatchObject([{ type: 'blast.accepted', blastId: 'new' }]);
    expect(await store.view((views) => views.readEventRange())).toMatchObject({ sweptId: old, isPending: false });
  });
});
