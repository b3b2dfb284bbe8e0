import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpFixture, KEY, OTHER_KEY, startHttp } from '../../test/support/http-fixture.ts';
import type { Store, Transaction } from '../domain/store-port.ts';
import { createAcceptBlast } from './accept-blast.ts';
import { createIssueGrant } from './issue-grant.ts';

let http: HttpFixture;
beforeAll(async () => {
  http = await startHttp();
});
afterAll(() => http.close());

/** The store, noting which verbs are used. */
const noting = (store: Store, verbs: string[]): Store => ({
  ...store,
  transact: (work) => store.transact((tx) => work(notingVerbs(tx, verbs))),
});

const notingVerbs = (tx: Transaction, verbs: string[]): Transaction =>
  new Proxy(tx, {
    get(target, name, receiver) {
      verbs.push(String(name));
      return Reflect.get(target, name, receiver);
    },
  });

describe('A6 the same work for every outsider', () => {
  const verbsOfBlast = async (appKey: string, networkId: string, idempotencyKey: string | null): Promise<string[]> => {
    const verbs: string[] = [];
    const accept = createAcceptBlast({
      store: noting(http.store, verbs),
      dialer: { wake: () => undefined, isDraining: () => false, callsPerMinuteOverloaded: () => null },
      routeHealth: { isCallable: () => true },
      random: { digits: (length) => '1'.repeat(length), hex: (bytes) => '11'.repeat(bytes) },
      sha256: (text) => text,
      builtInFrameCount: 1,
      maxWaitingCalls: 10,
    });
    const request = { appKey, networkId, mediaIds: ['101'], greetingId: null, idempotencyKey };
    await expect(accept(request)).rejects.toMatchObject({ code: 'not_associated' });
    return verbs;
  };

  it.each([null, 'a key'])('A6 a blast of an unknown key asks what one to a foreign network asks (%s)', async (key) => {
    const foreign = await verbsOfBlast(KEY, '2', key);
    expect(foreign.length).toBeGreaterThan(1);
    expect(await verbsOfBlast('unknown-key-unknown', '1', key)).toEqual(foreign);
    expect(await verbsOfBlast(KEY, '999', key)).toEqual(foreign);
    expect(await verbsOfBlast(OTHER_KEY, '1', key)).toEqual(foreign);
  });

  it('A6 a grant request of an unknown key asks what one for a foreign media asks', async () => {
    const verbsOfGrant = async (appKey: string, mediaId: string): Promise<string[]> => {
      const verbs: string[] = [];
      const issue = createIssueGrant({ store: noting(http.store, verbs), grantTtlSeconds: 60 });
      await expect(issue({ appKey, mediaId })).rejects.toMatchObject({ code: 'media_not_owned' });
      return verbs;
    };
    const foreign = await verbsOfGrant(KEY, '201');
    expect(foreign.length).toBeGreaterThan(1);
    expect(await verbsOfGrant('unknown-key-unknown', '101')).toEqual(foreign);
    expect(await verbsOfGrant(KEY, '999')).toEqual(foreign);
  });
});
