import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Exposition, Metrics } from '../domain/metrics.ts';
import { callMetrics } from './call-metrics.ts';
import { type FigureSources, figureReader } from './figures.ts';
import { createTrunkLabel } from './labels.ts';
import { requestMetrics } from './request-metrics.ts';
import { storeMetrics } from './store-metrics.ts';
import { voiceReader } from './voice-metrics.ts';
import { webhookMetrics } from './webhook-metrics.ts';

export interface PrometheusMetrics {
  readonly metrics: Metrics;
  /** The metrics in Prometheus' text format, with queue and trunks as they are at each reading. */
  expose(sources: FigureSources): Exposition;
}

/** The metrics of one server, in a registry of its own: several servers in a process do not mix. */
export const createPrometheusMetrics = (): PrometheusMetrics => {
  const registry = new Registry();
  const trunkLabel = createTrunkLabel();
  // Event loop, memory, processor, process start.
  collectDefaultMetrics({ register: registry });
  const metrics = {
    ...callMetrics(registry, trunkLabel),
    ...requestMetrics(registry),
    ...storeMetrics(registry),
    ...webhookMetrics(registry),
  };
  const readFigures = figureReader(registry, trunkLabel);
  const readVoice = voiceReader(registry);
  return {
    metrics,
    expose: (sources) => ({
      contentType: registry.contentType,
      async read() {
        await readFigures(sources);
        readVoice(sources.voice);
        return registry.metrics();
      },
    }),
  };
};
