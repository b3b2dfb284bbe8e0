import { Counter, Histogram, type Registry } from 'prom-client';
import type { Metrics } from '../domain/metrics.ts';

const DURATION_BUCKETS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
const UNIT_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256];

export const storeMetrics = (registry: Registry): Pick<Metrics, 'noteCommit' | 'noteSipMessagesDropped'> => {
  const registers = [registry];
  const duration = new Histogram({
    name: 'ringcast_store_commit_duration_seconds',
    help: 'From the begin of a commit to its end on the disk.',
    buckets: DURATION_BUCKETS_SECONDS,
    registers,
  });
  const units = new Histogram({
    name: 'ringcast_store_commit_units',
    help: 'Units of work that shared a commit.',
    buckets: UNIT_BUCKETS,
    registers,
  });
  const failed = new Counter({
    name: 'ringcast_store_commits_failed_total',
    help: 'Commits that failed, with all of their units.',
    registers,
  });
  const droppedMessages = new Counter({
    name: 'ringcast_sip_messages_dropped_total',
    help: 'SIP messages of calls that were not kept, since the store was slow or gone.',
    registers,
  });
  return {
    noteSipMessagesDropped: (messages) => droppedMessages.inc(messages),
    noteCommit(commit) {
      duration.observe(commit.durationMs / 1000);
      units.observe(commit.units);
      if (!commit.isCommitted) failed.inc();
    },
  };
};
