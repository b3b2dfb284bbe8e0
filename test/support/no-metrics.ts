import type { Metrics } from '../../src/domain/metrics.ts';

const nothing = (): void => undefined;

/** Counts nothing, for tests of other things. */
export const NO_METRICS: Metrics = {
  noteBlast: nothing,
  noteGrant: nothing,
  noteUpload: nothing,
  noteAttempt: nothing,
  noteAnswer: nothing,
  noteOutcome: nothing,
  noteEndedUndialled: nothing,
  noteCommit: nothing,
  noteRequest: nothing,
  noteDelivery: nothing,
  noteSipMessagesDropped: nothing,
};
