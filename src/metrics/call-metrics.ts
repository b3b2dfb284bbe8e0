import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { EndedAttempt, Metrics } from '../domain/metrics.ts';
import { NONE, type TrunkLabel } from './labels.ts';

type CallMetrics = Pick<Metrics, 'noteAttempt' | 'noteAnswer' | 'noteOutcome' | 'noteEndedUndialled'>;

/** A call that ends so soon after its answer is one that was not listened to. */
const SHORT_CALL_MS = 6000;
const DURATION_BUCKETS_SECONDS = [1, 3, 6, 10, 20, 30, 60, 120, 300, 600];

export const callMetrics = (registry: Registry, trunkLabel: TrunkLabel): CallMetrics => {
  const families = callFamilies(registry);
  return {
    noteAttempt(trunkId) {
      const trunk = trunkLabel(trunkId);
      families.attempts.inc({ trunk });
      // Series that are there from the first attempt on: a ratio over what is missing would be nothing, not 0.
      families.answers.inc({ trunk }, 0);
      families.shortCalls.inc({ trunk }, 0);
      families.inProgress.inc({ trunk });
    },
    noteAnswer: (trunkId) => families.answers.inc({ trunk: trunkLabel(trunkId) }),
    noteOutcome: (attempt) => noteOutcome(families, trunkLabel(attempt.trunkId), attempt),
    noteEndedUndialled(outcome, calls) {
      if (calls > 0) families.calls.inc({ trunk: NONE, outcome }, calls);
    },
  };
};

const noteOutcome = (families: CallFamilies, trunk: string, attempt: EndedAttempt): void => {
  const { outcome, answeredForMs } = attempt;
  families.inProgress.dec({ trunk });
  families.endedAttempts.inc({ trunk, outcome });
  if (attempt.callEnded) families.calls.inc({ trunk, outcome });
  if (answeredForMs === null) return;
  families.duration.observe({ trunk }, answeredForMs / 1000);
  if (answeredForMs < SHORT_CALL_MS) families.shortCalls.inc({ trunk });
};

type CallFamilies = ReturnType<typeof callFamilies>;

const callFamilies = (registry: Registry) => {
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Counter({ name, help, labelNames, registers });
  return {
    attempts: counter('ringcast_call_attempts_total', 'Attempts begun: one INVITE dialog each at most.', ['trunk']),
    answers: counter('ringcast_call_answers_total', 'Attempts that were answered.', ['trunk']),
    endedAttempts: counter('ringcast_call_attempts_ended_total', 'Attempts ended, by outcome.', ['trunk', 'outcome']),
    calls: counter('ringcast_calls_ended_total', 'Calls ended, each once, by outcome.', ['trunk', 'outcome']),
    shortCalls: counter('ringcast_short_calls_total', 'Answered calls that ended within 6 seconds.', ['trunk']),
    inProgress: new Gauge({
      name: 'ringcast_calls_in_progress',
      help: 'Calls dialled whose outcome is not committed yet.',
      labelNames: ['trunk'],
      registers,
    }),
    duration: new Histogram({
      name: 'ringcast_call_duration_seconds',
      help: 'From answer to end.',
      labelNames: ['trunk'],
      buckets: DURATION_BUCKETS_SECONDS,
      registers,
    }),
  };
};
