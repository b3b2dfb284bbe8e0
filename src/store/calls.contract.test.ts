import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DIALECTS } from '../../test/support/dialects.ts';
import {
  blast,
  claim,
  network,
  provision,
  result,
  type StoreFixture,
  trunk,
} from '../../test/support/store-fixture.ts';
import { NO_RTP } from '../domain/call.ts';
import { OUTCOMES } from '../domain/outcome.ts';
import { RETRYABLE } from '../domain/retry.ts';
import type { ClaimRequest, Transaction, Views } from '../domain/store-port.ts';

for (const dialect of DIALECTS)
  describe(`calls and attempts on ${dialect.name}`, () => {
    let fixture: StoreFixture;
    beforeEach(async () => {
      fixture = await dialect.open();
      await transact((tx) => provision(tx));
    });
    afterEach(() => fixture.close());
    const transact = <T>(work: (tx: Transaction) => Promise<T>) => fixture.store.transact(work);
    const view = <T>(work: (views: Views) => Promise<T>) => fixture.store.view(work);
    const insert = (changes = {}) => transact((tx) => tx.insertBlast(blast(changes)));
    /** To a destination of its own, so that it need not wait for another call to end. */
    const insertApart = async (id: string) => {
      const networkId = `of-${id}`;
      const apart = network({ id: networkId, destinations: [`sip:${id}@127.0.0.1:5070`] });
      await transact((tx) => tx.createNetwork(apart));
      await insert({ id, networkId });
    };
    const claimed = async (changes: Partial<ClaimRequest> = {}) =>
      (await transact((tx) => tx.claimCalls(claim(changes)))).map((call) => call.attemptId);
    const call = async (id = 'blast') => (await view((views) => views.findBlast(id)))?.calls[0];
    const attempt = async () => (await call())?.attempts[0];
    const record = (attemptId: string, ended = result('completed')) =>
      transact((tx) => tx.recordOutcome(attemptId, ended));

    it('counts the calls in progress by state', async () => {
      const counted = async () => Object.fromEntries(await view((views) => views.countInProgress()));
      for (const id of ['a', 'b', 'c']) await insertApart(id);
      expect(await counted()).toEqual({});
      const [first = '', second = ''] = await claimed({ limit: 2 });
      expect(await counted()).toEqual({ dialing: 2 });
      await transact((tx) => tx.recordRinging(first, null));
      await record(second);
      expect(await counted()).toEqual({ ringing: 1 });
    });

    it('claims each call once, oldest first, and commits its attempt', async () => {
      for (const id of ['a', 'b', 'c']) await insertApart(id);
      expect(await claimed({ limit: 2 })).toEqual(['a-1-1', 'b-1-1']);
      expect(await claimed({ limit: 2 })).toEqual(['c-1-1']);
      expect(await claimed()).toEqual([]);
      expect(await call('a')).toMatchObject({ state: 'dialing', outcome: null });
      expect((await call('a'))?.attempts).toEqual([
        {
          id: 'a-1-1',
          number: 1,
          trunkId: null,
          sipCallId: 'call-1',
          dialledAt: expect.any(Number),
          ringingAt: null,
          answeredAt: null,
          endedAt: null,
          outcome: null,
          sipStatus: null,
          sipReason: null,
          codec: null,
          clips: [
            { mediaId: null, framesSent: 0, framesTotal: 5 },
            { mediaId: 'media', framesSent: 0, framesTotal: 2 },
          ],
          digits: [],
          hungUpAt: null,
          rtp: NO_RTP,
        },
      ]);
    });

    it('claims a call once, however many ask at once', async () => {
      await insert();
      const claims = await Promise.all(Array.from({ length: 50 }, () => claimed({ limit: 1 })));
      expect(claims.flat()).toEqual(['blast-1-1']);
    });

    it('leaves a call waiting for which there is no plan, claims the next in its place, and looks again later', async () => {
      await insertApart('a');
      await insertApart('b');
      const { plan } = claim();
      let asked = 0;
      const planned = await claimed({ limit: 1, plan: (...call) => (asked++ === 0 ? null : plan(...call)) });
      expect([planned, (await call('a'))?.state]).toEqual([['b-1-1'], 'waiting']);
      expect(await claimed()).toEqual([]);
      await fixture.sql('update calls set due_at = due_at - 1000');
      expect(await claimed()).toEqual(['a-1-1']);
    });

    it('follows a call from dialling to its end', async () => {
      await insert();
      const [id = ''] = await claimed();
      await transact((tx) => tx.recordRinging(id, null));
      expect(await call()).toMatchObject({ state: 'ringing', outcome: null });
      await transact((tx) => tx.recordAnswered(id, 'PCMA', null));
      expect(await call()).toMatchObject({ state: 'playing', outcome: null });
      await transact((tx) => tx.recordRinging(id, null));
      expect((await call())?.state).toBe('playing');
      const latenessMs = { p50: 1, p99: 5 };
      const reported = { packetsLost: 1, jitterMs: 2.5, roundTripMs: 31.5, mosEstimate: 4.25 };
      const rtp = { packetsSent: 6, packetsRefused: 2, peerRefusals: 3, ...reported, latenessMs };
      const heard = {
        rtp,
        digits: [{ digit: '#', mediaId: null, ms: 90 }],
        hungUpAt: { mediaId: 'media', ms: 20 },
      };
      const ended = result('hung_up', { sipStatus: 200, sipReason: 'OK', codec: 'PCMA', framesSent: [5, 1], ...heard });
      await record(id, ended);
      expect(await call()).toMatchObject({ state: 'finished', outcome: 'hung_up' });
      const last = await attempt();
      expect(last).toMatchObject({ outcome: 'hung_up', sipStatus: 200, sipReason: 'OK', codec: 'PCMA', ...heard });
      expect(last?.clips.map((clip) => clip.framesSent)).toEqual([5, 1]);
      const times = [last?.dialledAt, last?.ringingAt, last?.answeredAt, last?.endedAt];
      expect(times).toEqual([...times].sort());
      expect(times.every((at) => Math.abs((at ?? 0) - Date.now()) < 60_000)).toBe(true);
    });

    it('lets the first outcome stand', async () => {
      await insert({ retry: { maxAttempts: 3, delaySeconds: 0, on: ['busy'] } });
      const [id = ''] = await claimed();
      await record(id, result('completed'));
      const before = await view((views) => views.findBlast('blast'));
      await record(id, result('busy'));
      await transact((tx) => tx.recordRinging(id, null));
      await transact((tx) => tx.recordAnswered(id, 'PCMU', null));
      await record('nowhere', result('busy'));
      expect(await view((views) => views.findBlast('blast'))).toEqual(before);
      expect(await claimed()).toEqual([]);
    });

    it.each(OUTCOMES)('tries again after %s only if it may', async (outcome) => {
      await insert({ retry: { maxAttempts: 2, delaySeconds: 0, on: RETRYABLE } });
      const [id = ''] = await claimed();
      await record(id, result(outcome));
      const retries = RETRYABLE.some((each) => each === outcome);
      expect(await call()).toMatchObject(
        retries ? { state: 'waiting', outcome: null } : { state: 'finished', outcome },
      );
      expect(await claimed()).toEqual(retries ? ['blast-1-2'] : []);
    });

    it('never calls again what was answered', async () => {
      await insert({ retry: { maxAttempts: 5, delaySeconds: 0, on: RETRYABLE } });
      const [id = ''] = await claimed();
      await transact((tx) => tx.recordAnswered(id, 'PCMU', null));
      await record(id, result('unreachable'));
      expect(await call()).toMatchObject({ state: 'finished', outcome: 'unreachable' });
    });

    it('never calls again what was answered too late', async () => {
      await insert({ retry: { maxAttempts: 5, delaySeconds: 0, on: RETRYABLE } });
      const [id = ''] = await claimed();
      await record(id, result('no_answer', { wasAnswered: true }));
      expect(await call()).toMatchObject({ state: 'finished', outcome: 'no_answer' });
    });

    it.each([
      [60, 600],
      [6_000, 6_000],
    ])('waits for the longer of what the peer asked (%i s) and the rule says', async (retryAfterSeconds, waited) => {
      await insert({ retry: { maxAttempts: 2, delaySeconds: 600, on: ['busy'] } });
      const [id = ''] = await claimed();
      await record(id, result('busy', { retryAfterSeconds }));
      const now = await view((views) => views.nowMs());
      expect(Math.abs(((await view((views) => views.nextDueAt())) ?? 0) - now - waited * 1_000)).toBeLessThan(30_000);
    });

    it('waits before it tries again, no more often than the rule of the blast says', async () => {
      await insert({ retry: { maxAttempts: 2, delaySeconds: 600, on: ['busy'] }, dialWithinMs: 1000 });
      const [first = ''] = await claimed();
      expect(await view((views) => views.nextDueAt())).toBeNull();
      await record(first, result('busy'));
      const now = await view((views) => views.nowMs());
      expect(Math.abs(((await view((views) => views.nextDueAt())) ?? 0) - now - 600_000)).toBeLessThan(60_000);
      expect(await claimed()).toEqual([]);
      expect(await transact((tx) => tx.expireCalls())).toBe(0);
      await fixture.sql('update calls set due_at = due_at - 600000, dial_by = dial_by + 60000');
      const [second = ''] = await claimed();
      expect(second).toBe('blast-1-2');
      await record(second, result('busy'));
      expect(await call()).toMatchObject({ state: 'finished', outcome: 'busy' });
      expect((await call())?.attempts.map((each) => each.number)).toEqual([1, 2]);
    });

    it('tells when the next call is due, over all trunks', async () => {
      expect(await view((views) => views.nextDueAt())).toBeNull();
      await transact((tx) => tx.createTrunk(trunk()));
      await transact((tx) => tx.createNetwork(network({ id: 'over', trunkIds: ['trunk'] })));
      await insert({ id: 'a', networkId: 'over' });
      const accepted = (await view((views) => views.findBlast('a')))?.acceptedAt;
      expect(await view((views) => views.nextDueAt())).toBe(accepted);
      await insert({ id: 'b' });
      await fixture.sql("update calls set due_at = 1234 where blast_id = 'b'");
      expect(await view((views) => views.nextDueAt())).toBe(1234);
    });

    it('ends what was not dialled in time, and dials none of it', async () => {
      for (const id of ['a', 'b']) await insert({ id });
      await claimed({ limit: 1 });
      await fixture.sql('update calls set dial_by = due_at - 1');
      expect(await claimed()).toEqual([]);
      expect(await transact((tx) => tx.expireCalls())).toBe(1);
      expect(await transact((tx) => tx.expireCalls())).toBe(0);
      expect(await call('a')).toMatchObject({ state: 'dialing', outcome: null });
      expect(await call('b')).toMatchObject({ state: 'finished', outcome: 'expired' });
      expect((await view((views) => views.findBlast('b')))?.state).toBe('finished');
    });
  });
