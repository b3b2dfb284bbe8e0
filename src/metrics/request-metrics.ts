import { Counter, Histogram, type Registry } from 'prom-client';
import type { Metrics } from '../domain/metrics.ts';
import { NONE, OTHER } from './labels.ts';

type RequestMetrics = Pick<Metrics, 'noteBlast' | 'noteGrant' | 'noteUpload' | 'noteRequest'>;

/** From an accepted blast to the slowest upload. */
const DURATION_BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30];

export const requestMetrics = (registry: Registry): RequestMetrics => {
  const registers = [registry];
  const results = (name: string, help: string, expected: readonly string[]) => {
    const counter = new Counter({ name, help, labelNames: ['result'], registers });
    // There from the start, so that the first of them is an increase to whoever watches.
    for (const result of expected) counter.inc({ result }, 0);
    return counter;
  };
  const blasts = results('ringcast_blasts_total', 'Blasts asked for: accepted, replayed, or why refused.', [
    'accepted',
    'cannot_call_now',
    OTHER,
  ]);
  const grants = results('ringcast_grants_total', 'Upload grants asked for: issued, or why refused.', [
    'issued',
    OTHER,
  ]);
  const uploads = results('ringcast_uploads_total', 'Uploads: committed, or why refused.', ['committed', OTHER]);
  const noteRequest = requestCounter(registry);
  return {
    noteBlast: (result) => blasts.inc({ result }),
    noteGrant: (result) => grants.inc({ result }),
    noteUpload: (result) => uploads.inc({ result }),
    noteRequest,
  };
};

const requestCounter = (registry: Registry): Metrics['noteRequest'] => {
  const requests = new Counter({
    name: 'ringcast_http_requests_total',
    help: 'HTTP requests answered.',
    labelNames: ['listener', 'method', 'route', 'status'],
    registers: [registry],
  });
  const duration = new Histogram({
    name: 'ringcast_http_request_duration_seconds',
    help: 'From the headers of a request to the end of its answer.',
    labelNames: ['listener', 'route'],
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [registry],
  });
  return ({ listener, route: pattern, method: asked, status, durationMs }) => {
    const route = pattern ?? NONE;
    // Methods of routes are few; of what meets no route anybody may send any.
    const method = pattern === null ? OTHER : asked;
    requests.inc({ listener, method, route, status: String(status) });
    duration.observe({ listener, route }, durationMs / 1000);
  };
};
