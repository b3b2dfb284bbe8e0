import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DIALECTS } from '../../test/support/dialects.ts';
import { application, blast, claim, provision, result, type StoreFixture } from '../../test/support/store-fixture.ts';
import type { WebhookChanges } from '../domain/event-port.ts';
import type { Delivery } from '../domain/webhook.ts';

const FAILED = { kind: 'failed', isGone: false, retryAfterMs: 0 } as const;
const DELIVERED = { kind: 'delivered' } as const;
const DAY_MS = 24 * 3_600_000;

describe.each(DIALECTS)('webhooks on $name', (dialect) => {
  let fixture: StoreFixture;
  beforeEach(async () => {
    fixture = await dialect.open();
    await fixture.store.transact((tx) => provision(tx));
    await publish();
  });
  afterEach(() => fixture.close());

  const publish = () => fixture.store.transact((tx) => tx.publishEvents());
  const hook = (changes: Partial<WebhookChanges> = {}) =>
    fixture.store.transact((tx) =>
      tx.createWebhook('app', { url: 'https://x.test/', types: null, isDisabled: false, secret: 's1', ...changes }),
    );
  const find = (id: string) => fixture.store.view((views) => views.findWebhook(id, 'app'));
  const claimDue = (id: string, limit = 100) => fixture.store.transact((tx) => tx.claimDeliveries(id, limit));
  const end = (
    delivery: Delivery | undefined,
    how: typeof FAILED | typeof DELIVERED | { kind: 'failed'; isGone: true; retryAfterMs: number },
  ) => fixture.store.transact((tx) => (delivery ? tx.endDelivery(delivery, how) : Promise.reject(new Error('none'))));
  const types = (deliveries: readonly Delivery[]) => deliveries.map(({ event }) => event.type);
  /** A blast of one call, from acceptance to its end. */
  const finishedBlast = async (id: string) => {
    await fixture.store.transact((tx) => tx.insertBlast(blast({ id })));
    const [claimed] = await fixture.store.transact((tx) => tx.claimCalls(claim()));
    await fixture.store.transact((tx) => tx.recordRinging(claimed?.attemptId ?? '', null));
    await fixture.store.transact((tx) => tx.recordOutcome(claimed?.attemptId ?? '', result('busy')));
    await publish();
  };

  it('get the events of their application in order for each call', async () => {
    const id = await hook();
    await finishedBlast('one');
    const first = await claimDue(id);
    expect(types(first)).toEqual(['blast.accepted', 'call.ringing', 'blast.finished']);
    expect(first[1]).toMatchObject({ attempt: 1, url: 'https://x.test/', secrets: ['s1'] });
    expect(await claimDue(id)).toEqual([]);
    await end(first[1], FAILED);
    const again = await claimDue(id);
    expect(types(again)).toEqual(['call.ringing']);
    expect(again[0]).toMatchObject({ attempt: 2, event: { id: first[1]?.event.id } });
    await end(again[0], DELIVERED);
    expect(types(await claimDue(id))).toEqual(['call.finished']);
  });

  it('that another call is held back by nothing of the first', async () => {
    const id = await hook({ types: ['call.ringing', 'call.finished'] });
    await finishedBlast('one');
    const [stuck] = await claimDue(id);
    await finishedBlast('two');
    const second = await claimDue(id);
    expect(second.map(({ event }) => event.blastId)).toEqual(['two']);
    await end(second[0], DELIVERED);
    expect(await claimDue(id)).toMatchObject([{ event: { blastId: 'two', type: 'call.finished' } }]);
    await end(stuck, DELIVERED);
    expect(await claimDue(id)).toMatchObject([{ event: { blastId: 'one', type: 'call.finished' } }]);
  });

  it('are claimed anew when whoever claimed them has died', async () => {
    const id = await hook({ types: ['blast.accepted'] });
    await finishedBlast('one');
    const [claimed] = await claimDue(id);
    expect(await fixture.store.view((views) => views.listDueWebhookIds(10))).toEqual([]);
    await fixture.sql('update webhook_deliveries set next_at = next_at - 20000');
    expect(await fixture.store.view((views) => views.listDueWebhookIds(10))).toEqual([id]);
    expect(await claimDue(id)).toMatchObject([{ event: { id: claimed?.event.id }, attempt: 2 }]);
  });

  it('are each claimed once by nodes that ask at the same time', async () => {
    const id = await hook({ types: ['blast.accepted'] });
    for (let number = 0; number < 20; number++)
      await fixture.store.transact((tx) => tx.insertBlast(blast({ id: `b${number}` })));
    await publish();
    const claims = await Promise.all(Array.from({ length: 8 }, () => claimDue(id, 5)));
    const ids = claims.flat().map(({ event }) => event.id);
    expect(new Set(ids).size).toBe(ids.length);
    const rest = await claimDue(id);
    expect(ids.length + rest.length).toBe(20);
  });

  it('that failed for three days, or answered 410, are disabled, and the application is told', async () => {
    const failing = await hook({ types: ['blast.accepted'] });
    const gone = await hook({ types: ['blast.accepted'] });
    await finishedBlast('one');
    const [toFailing] = await claimDue(failing);
    expect(await end(toFailing, FAILED)).toBe('again');
    await fixture.sql('update webhooks set failing_since = failing_since - ? where id = ?', 3 * DAY_MS, failing);
    expect(await end(toFailing, FAILED)).toBe('disabled');
    expect(await end((await claimDue(gone))[0], { kind: 'failed', isGone: true, retryAfterMs: 0 })).toBe('disabled');
    expect(await find(failing)).toMatchObject({ disabledReason: 'failing' });
    expect(await find(gone)).toMatchObject({ disabledReason: 'gone' });
    await publish();
    const events = await fixture.store.view((views) => views.listEvents('app', '0', 100));
    expect(events.slice(-2)).toMatchObject([
      { type: 'webhook.disabled', webhookId: failing, detail: 'failing' },
      { type: 'webhook.disabled', webhookId: gone, detail: 'gone' },
    ]);
    expect(await fixture.store.view((views) => views.oldestUndeliveredAt())).toBeNull();
  });

  it('give up one event after three days, and let the next of its call go', async () => {
    const id = await hook({ types: ['call.ringing', 'call.finished'] });
    await finishedBlast('one');
    const [first] = await claimDue(id);
    await fixture.sql('update webhook_deliveries set queued_at = queued_at - ?', 3 * DAY_MS + 1);
    expect(await end(first, FAILED)).toBe('given_up');
    expect(types(await claimDue(id))).toEqual(['call.finished']);
    expect(await find(id)).toMatchObject({ disabledReason: null, failingSince: expect.any(Number) });
  });

  it('are given again what is replayed, once, and in pages', async () => {
    const id = await hook();
    const other = await hook({ types: ['blast.accepted'] });
    await finishedBlast('one');
    for (let due = await claimDue(id); due.length > 0; due = await claimDue(id))
      for (const delivery of due) await end(delivery, DELIVERED);
    const replay = (webhookId: string, afterId: string, limit: number) =>
      fixture.store.transact((tx) => tx.replayEvents({ webhookId, applicationId: 'app', sinceAt: 0, afterId, limit }));
    const all = await fixture.store.view((views) => views.listEvents('app', '0', 100));
    const page = await replay(id, '0', all.length - 1);
    expect(page).toEqual({ queued: all.length - 1, nextId: all.at(-2)?.id });
    expect(await replay(id, page.nextId ?? '', 100)).toEqual({ queued: 1, nextId: null });
    expect(await replay(id, '0', 100)).toEqual({ queued: 0, nextId: null });
    expect(types(await claimDue(id))).toEqual(all.map(({ type }) => type).filter((type) => type !== 'call.finished'));
    expect(await replay(other, '0', 100)).toEqual({ queued: 0, nextId: null });
  });

  it('sign with the old secret too for a day after a rotation; secrets lie sealed', async () => {
    const id = await hook();
    await fixture.store.transact((tx) => tx.rotateWebhook(id, 'app', 's2'));
    expect(await fixture.store.transact((tx) => tx.rotateWebhook(id, 'stranger', 's3'))).toBe(false);
    await finishedBlast('one');
    expect((await claimDue(id, 1))[0]?.secrets).toEqual(['s2', 's1']);
    await fixture.sql('update webhooks set previous_until = previous_until - ?', DAY_MS);
    expect((await claimDue(id, 1))[0]?.secrets).toEqual(['s2']);
    const [row] = await fixture.sql('select secret, previous_secret from webhooks');
    expect(Object.values(row ?? {})).not.toContain('s1');
    expect(Object.values(row ?? {})).not.toContain('s2');
  });

  it('disabled get nothing, and lose what was queued', async () => {
    const id = await hook();
    await finishedBlast('one');
    const changes = { url: 'https://x.test/', types: null };
    const replaced = () =>
      fixture.store.transact((tx) => tx.replaceWebhook(id, 'app', { ...changes, isDisabled: true }));
    expect(await replaced()).toBe(true);
    await finishedBlast('two');
    await fixture.store.transact((tx) => tx.replaceWebhook(id, 'app', { ...changes, isDisabled: false }));
    expect(await claimDue(id)).toEqual([]);
  });

  it('belong to one application, ten at most, and go with it', async () => {
    const id = await hook();
    await fixture.store.transact((tx) => tx.createApplication(application({ id: 'other' })));
    expect(await fixture.store.view((views) => views.findWebhook(id, 'other'))).toBeNull();
    expect(await fixture.store.transact((tx) => tx.deleteWebhook(id, 'other'))).toBe(false);
    for (let number = 1; number < 10; number++) await hook();
    await expect(hook()).rejects.toMatchObject({ code: 'too_many' });
    await fixture.store.transact((tx) => tx.deleteApplication('app'));
    expect(await fixture.sql('select id from webhooks')).toEqual([]);
  });
});
