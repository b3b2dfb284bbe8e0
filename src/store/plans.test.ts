import { DatabaseSync } from 'node:sqlite';
import { expect, it, vi } from 'vitest';
import { blast, claim, openSqliteFixture, provision, result, trunk } from '../../test/support/store-fixture.ts';
import type { Store } from '../domain/store-port.ts';

/** Tables that grow with what is called. */
const GROWING =
  'calls|blasts|attempts|events|webhook_deliveries|network_destinations|idempotency|paces|grants|nodes|sip_messages';
/** A walk through a whole table; one through an index that holds only what is looked for is none. */
const SCAN = new RegExp(`^SCAN (${GROWING})( USING (INTEGER PRIMARY KEY|INDEX sqlite_autoindex))?$`);

/** So that all that is finished is old. */
const AGES_AHEAD_MS = -86_400_000;
/** A walk along the primary key, from the oldest row on, that ends soon. */
const FIRST_ROWS = /order by "seq" limit/;

/** What a server does all the time. */
const work = async ({ transact, view }: Store): Promise<void> => {
  await transact((tx) => tx.insertBlast(blast(), blast({ id: 'second' })));
  const queued = { application: { id: 'app', priority: 1 }, trunkIds: [], calls: 1 };
  await view((views) => views.findBacklog(queued, 100));
  await transact((tx) => tx.rememberBlast('app', 'key', { blastId: 'blast', requestDigest: '' }));
  await transact((tx) => tx.settleBlast());
  await transact((tx) => tx.expireCalls());
  const [call] = await transact((tx) => tx.claimCalls(claim({ limit: 1 })));
  const attemptId = call?.attemptId ?? '';
  await transact((tx) => tx.takeSlots([attemptId], claim()));
  await transact((tx) => tx.recordRinging(attemptId, null));
  await transact((tx) => tx.recordAnswered(attemptId, 'PCMU', null));
  await transact((tx) => tx.recordOutcome(attemptId, result('completed')));
  await transact((tx) => tx.publishEvents());
  await transact((tx) => tx.claimDeliveries('100', 8));
  await transact((tx) => tx.sweepEvents());
  await transact((tx) => tx.cancelBlast('second'));
  await view(async (views) => {
    await views.recallBlast('app', 'key');
    await views.countWaiting();
    await views.countInProgress();
    await views.nextDueAt();
    await views.listCancelledAttempts();
    await views.findRoutes('net');
    await views.listEvents(null, '0', 100);
    await views.listEvents('app', '0', 100);
    await views.listDueWebhookIds(100);
    await views.oldestUndeliveredAt();
    await views.findBlast('blast');
  });
  await transact((tx) => tx.dropOldRecords(AGES_AHEAD_MS));
};

it('no statement of the daily work walks through a table that grows, or sorts the events', async () => {
  const fixture = await openSqliteFixture();
  await fixture.store.transact(async (tx) => {
    await provision(tx);
    await tx.createTrunk(trunk());
  });
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
  await work(fixture.store);
  const statements = [...new Set(prepare.mock.calls.map(([text]) => text))];
  prepare.mockRestore();
  expect(statements.length).toBeGreaterThan(40);
  const slow: string[] = [];
  for (const text of statements) {
    const plan = (await fixture.sql(`explain query plan ${text}`)).map(({ detail }) => String(detail));
    const sortsEvents =
      plan.includes('USE TEMP B-TREE FOR ORDER BY') && plan.some((step) => /^SEARCH events/.test(step));
    if ((plan.some((step) => SCAN.test(step)) && !FIRST_ROWS.test(text)) || sortsEvents)
      slow.push(`${text}\n  ${plan.join('\n  ')}`);
  }
  expect(slow).toEqual([]);
  await fixture.close();
});
