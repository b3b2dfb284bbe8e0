import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DIALECTS } from '../../test/support/dialects.ts';
import { application, blast, network, provision, type StoreFixture } from '../../test/support/store-fixture.ts';
import type { BlastRequest } from '../domain/blast.ts';
import type { Store } from '../domain/store-port.ts';
import { type AcceptedBlast, createAcceptBlast } from './accept-blast.ts';

const KEYS = { appKey: 'key-of-app-one-one', otherKey: 'key-of-app-two-two' };
const request = (changes: Partial<BlastRequest> = {}): BlastRequest => ({
  appKey: KEYS.appKey,
  networkId: 'net',
  mediaIds: ['media'],
  greetingId: null,
  idempotencyKey: null,
  ...changes,
});

/** Counts units of work. */
const counting = (store: Store, counts: { units: number }): Store => ({
  ...store,
  transact: (work) => {
    counts.units += 1;
    return store.transact(work);
  },
});

for (const dialect of DIALECTS)
  describe(`blasts accepted together on ${dialect.name}`, () => {
    let fixture: StoreFixture;
    let woken = 0;
    const counts = { units: 0 };
    beforeEach(async () => {
      fixture = await dialect.open();
      await fixture.store.transact(async (tx) => {
        await provision(tx, ['sip:a@x', 'sip:b@x']);
        await tx.createAppKey('app', KEYS.appKey);
        await tx.createApplication(application({ id: 'other' }));
        await tx.createAppKey('other', KEYS.otherKey);
        await tx.createNetwork(network({ id: 'empty', destinations: [], applicationIds: ['app'] }));
      });
      counts.units = 0;
      woken = 0;
    });
    afterEach(() => fixture.close());

    let numbered = 0;
    const wake = (): void => {
      woken += 1;
    };
    const acceptAll = (
      requests: readonly BlastRequest[],
      maxWaitingCalls = 1000,
      callsPerMinute: number | null = null,
    ) => {
      const accept = createAcceptBlast({
        store: counting(fixture.store, counts),
        dialer: { wake, isDraining: () => false, callsPerMinuteOverloaded: () => callsPerMinute },
        routeHealth: { isCallable: () => true },
        random: { digits: (length) => String(++numbered).padStart(length, '0'), hex: () => '' },
        sha256: (text) => text,
        builtInFrameCount: 1,
        maxWaitingCalls,
      });
      return Promise.allSettled(requests.map(accept));
    };
    const codes = (verdicts: readonly PromiseSettledResult<AcceptedBlast>[]) =>
      verdicts.map((verdict) => (verdict.status === 'fulfilled' ? 'accepted' : verdict.reason.code));
    const stored = () => fixture.store.view((views) => views.listBlasts({ limit: 100, cursor: null }));

    it('get one unit of work, an id and calls each', async () => {
      const verdicts = await acceptAll(Array.from({ length: 5 }, () => request()));
      const ids = verdicts.flatMap((verdict) => (verdict.status === 'fulfilled' ? verdict.value.blastId : []));
      const { items } = await stored();
      expect(items.map(({ id }) => id).sort()).toEqual(ids.sort());
      expect(items.map(({ calls }) => calls.length)).toEqual([2, 2, 2, 2, 2]);
      expect(await fixture.store.view((views) => views.countWaiting())).toBe(10);
      expect([counts.units, woken]).toEqual([1, 5]);
    });

    it('are refused one by one, each for its own reason', async () => {
      const verdicts = await acceptAll([
        request(),
        request({ appKey: 'unknown-key-unknown' }),
        request({ appKey: KEYS.otherKey }),
        request({ mediaIds: ['media', 'nowhere'] }),
        request({ mediaIds: ['media\0'] }),
        request({ networkId: 'empty' }),
        request(),
      ]);
      const refusals = ['not_associated', 'not_associated', 'no_such_media', 'no_such_media', 'cannot_call_now'];
      expect(codes(verdicts)).toEqual(['accepted', ...refusals, 'accepted']);
      expect((await stored()).items).toHaveLength(2);
      expect(counts.units).toBe(1);
    });

    it('are one blast under one idempotency key', async () => {
      const keyed = request({ idempotencyKey: 'once' });
      const other = request({ idempotencyKey: 'once', mediaIds: ['media', 'media'] });
      const verdicts = await acceptAll([keyed, keyed, other, keyed, request({ idempotencyKey: 'else' })]);
      expect(codes(verdicts).sort()).toEqual([...Array(4).fill('accepted'), 'idempotency_conflict']);
      expect((await stored()).items).toHaveLength(2);
      expect(woken).toBe(2);
    });

    it('together find no more room than there is', async () => {
      const verdicts = await acceptAll([request(), request(), request(), request()], 5);
      expect(codes(verdicts)).toEqual(['accepted', 'accepted', 'cannot_call_now', 'cannot_call_now']);
    });

    it('pass while overload leaves them time, and are refused when it would run out', async () => {
      await fixture.store.transact((tx) => tx.replaceApplication('app', application({ dialBySeconds: 60 })));
      expect(codes(await acceptAll([request()], 1000, 4))).toEqual(['accepted']);
      const [verdict] = await acceptAll([request()], 1000, 3);
      expect(verdict).toMatchObject({ reason: { code: 'cannot_call_now' } });
      expect(verdict).toMatchObject({ reason: { message: expect.stringMatching(/ 3 calls .* 4 would .* 60 s/) } });
      expect(codes(await acceptAll([request()], 1000, 4))).toEqual(['accepted']);
    });

    it('pass an overload whose queue is of another application, if their turns come in time', async () => {
      await fixture.store.transact(async (tx) => {
        await tx.replaceApplication('app', application({ dialBySeconds: 60 }));
        const destinations = Array.from({ length: 100 }, (_, at) => `sip:${at}@y`);
        await tx.createNetwork(network({ id: 'large', destinations, applicationIds: ['other'] }));
        await tx.insertBlast(blast({ id: 'large', networkId: 'large', applicationId: 'other' }));
      });
      expect(codes(await acceptAll([request()], 1000, 3))).toEqual(['cannot_call_now']);
      expect(codes(await acceptAll([request()], 1000, 4))).toEqual(['accepted']);
    });

    it('are refused when overload has let no call through for a minute', async () => {
      const [verdict] = await acceptAll([request()], 1000, 0);
      expect(verdict).toMatchObject({ reason: { message: expect.stringContaining('no call in the last minute') } });
    });

    it('are not refused for the overload of one node while another stands', async () => {
      await fixture.store.transact((tx) => tx.addNode('other'));
      expect(codes(await acceptAll([request()], 1000, 0))).toEqual(['accepted']);
    });
  });
