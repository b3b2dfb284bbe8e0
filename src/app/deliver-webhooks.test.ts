import { describe, expect, it } from 'vitest';
import { NO_METRICS } from '../../test/support/no-metrics.ts';
import { QUIET_LOG } from '../../test/support/quiet-log.ts';
import { createVirtualClock } from '../../test/support/virtual-clock.ts';
import type { WebhookAnswer } from '../domain/ports.ts';
import type { Store, Transaction } from '../domain/store-port.ts';
import type { Delivery, DeliveryResult } from '../domain/webhook.ts';
import { createDeliverWebhooks } from './deliver-webhooks.ts';

const deliveryOf = (webhookId: string, number: number): Delivery => ({
  webhookId,
  url: 'https://x.test/',
  secrets: [],
  event: {
    id: String(number),
    type: 'blast.accepted',
    at: 0,
    blastId: null,
    callId: null,
    outcome: null,
    mediaId: null,
    trunkId: null,
    webhookId: null,
    detail: null,
  },
  attempt: 3,
  claimedAt: 0,
});

/** Endpoints with so much due each, a receiver that answers when told, and a store that fails when told. */
const bench = (due: Record<string, number>) => {
  const clock = createVirtualClock();
  const pending: { delivery: Delivery; cancel: AbortSignal; answer: (answer: WebhookAnswer) => void }[] = [];
  const ended: { delivery: Delivery; result: DeliveryResult }[] = [];
  const state = { storeFails: false };
  const tx = {
    listDueWebhookIds: async () => Object.keys(due).filter((id) => (due[id] ?? 0) > 0),
    claimDeliveries: async (webhookId: string, limit: number) => {
      const count = Math.min(limit, due[webhookId] ?? 0);
      due[webhookId] = (due[webhookId] ?? 0) - count;
      return Array.from({ length: count }, (_, number) => deliveryOf(webhookId, number));
    },
    endDelivery: async (delivery: Delivery, result: DeliveryResult) => {
      ended.push({ delivery, result });
      return 'done' as const;
    },
  };
  const run = <T>(work: (verbs: Transaction) => Promise<T>): Promise<T> =>
    state.storeFails ? Promise.reject(new Error('gone')) : work(tx as Partial<Transaction> as Transaction);
  const store: Store = {
    transact: run,
    view: run,
    close: async () => undefined,
    actAs: () => undefined,
    isShared: false,
  };
  const deliveries = createDeliverWebhooks({
    store,
    send: (delivery, cancel) =>
      new Promise((resolve) => {
        pending.push({ delivery, cancel, answer: resolve });
        cancel.addEventListener('abort', () => resolve({ kind: 'unanswered', reason: 'time-out' }));
      }),
    random: { digits: () => '500', hex: () => '' },
    wakeAfter: clock.wakeAfter,
    metrics: NO_METRICS,
    log: QUIET_LOG,
  });
  return { clock, pending, ended, state, deliveries };
};

describe('delivering webhooks', () => {
  it('has eight of an endpoint and sixty-four in all on their way at once', async () => {
    const many = Object.fromEntries(Array.from({ length: 10 }, (_, number) => [`w${number}`, 20]));
    const { clock, pending, deliveries } = bench(many);
    deliveries.start();
    await clock.advance(0);
    const counts = Map.groupBy(pending, ({ delivery }) => delivery.webhookId);
    expect([...counts.values()].map(({ length }) => length)).toEqual(Array(8).fill(8));
    pending[0]?.answer({ kind: 'answered', status: 204 });
    await clock.advance(0);
    expect(pending).toHaveLength(65);
    await deliveries.stop();
  });

  it.each([
    [{ kind: 'answered', status: 204 }, { kind: 'delivered' }],
    [
      { kind: 'answered', status: 301 },
      { kind: 'failed', isGone: false, retryAfterMs: 3600 },
    ],
    [
      { kind: 'answered', status: 410 },
      { kind: 'failed', isGone: true, retryAfterMs: 3600 },
    ],
    [
      { kind: 'refused', reason: 'x' },
      { kind: 'failed', isGone: false, retryAfterMs: 3600 },
    ],
    [
      { kind: 'unanswered', reason: 'x' },
      { kind: 'failed', isGone: false, retryAfterMs: 3600 },
    ],
  ] as const)('takes %j for %j', async (answer, result) => {
    const { clock, pending, ended, deliveries } = bench({ w: 1 });
    deliveries.start();
    await clock.advance(0);
    pending[0]?.answer(answer);
    await clock.advance(0);
    expect(ended.map((end) => end.result)).toEqual([result]);
    await deliveries.stop();
  });

  it('goes on a second after the store failed', async () => {
    const { clock, pending, state, deliveries } = bench({ w: 1 });
    state.storeFails = true;
    deliveries.start();
    await clock.advance(999);
    state.storeFails = false;
    expect(pending).toHaveLength(0);
    await clock.advance(1);
    expect(pending).toHaveLength(1);
    await deliveries.stop();
  });

  it('cuts off what is on its way when it stops, and begins nothing more', async () => {
    const { clock, pending, ended, deliveries } = bench({ w: 20 });
    deliveries.start();
    await clock.advance(0);
    await deliveries.stop();
    expect(pending.every(({ cancel }) => cancel.aborted)).toBe(true);
    expect(ended).toHaveLength(8);
    deliveries.wake();
    await clock.advance(5000);
    expect(pending).toHaveLength(8);
    expect(clock.waiting).toBe(0);
  });
});
