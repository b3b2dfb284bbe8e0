import { Counter, type Registry } from 'prom-client';
import type { Metrics } from '../domain/metrics.ts';

const RESULTS = ['delivered', 'rejected', 'unanswered', 'refused'] as const;

export const webhookMetrics = (registry: Registry): Pick<Metrics, 'noteDelivery'> => {
  const deliveries = new Counter({
    name: 'ringcast_webhook_deliveries_total',
    help: 'Attempts at webhooks: delivered, or how they failed.',
    labelNames: ['result'],
    registers: [registry],
  });
  for (const result of RESULTS) deliveries.inc({ result }, 0);
  return { noteDelivery: (result) => deliveries.inc({ result }) };
};
