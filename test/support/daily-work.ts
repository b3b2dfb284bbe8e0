import type { Store } from '../../src/domain/store-port.ts';
import { blast, claim, result } from './store-fixture.ts';

/** So that all that is finished is old. */
const AGES_AHEAD_MS = -86_400_000;

/** What a server does all the time. */
export const dailyWork = async ({ transact, view }: Store): Promise<void> => {
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
