import type { Transaction, Views } from '../domain/store-port.ts';

/** What is asked of the store to judge a blast. */
export type BlastQuestions = Pick<
  Views,
  | 'nowMs'
  | 'findCaller'
  | 'isAssociated'
  | 'recallBlast'
  | 'findApplication'
  | 'findSettings'
  | 'findPlayable'
  | 'findRoutes'
  | 'countWaiting'
  | 'listPacesElsewhere'
  | 'findBacklog'
>;

/** Within one unit of work each question is asked once, however many blasts of a batch need its answer. */
export const askedOnce = (tx: Transaction): BlastQuestions => ({
  nowMs: () => tx.nowMs(),
  findCaller: once((appKey) => tx.findCaller(appKey)),
  isAssociated: once((networkId, applicationId) => tx.isAssociated(networkId, applicationId)),
  recallBlast: (applicationId, idempotencyKey) => tx.recallBlast(applicationId, idempotencyKey),
  findApplication: once((id) => tx.findApplication(id)),
  findSettings: once(() => tx.findSettings()),
  findPlayable: once((mediaIds, applicationId) => tx.findPlayable(mediaIds, applicationId)),
  findRoutes: once((networkId) => tx.findRoutes(networkId)),
  countWaiting: once(() => tx.countWaiting()),
  listPacesElsewhere: once(() => tx.listPacesElsewhere()),
  findBacklog: once((blast, atMost) => tx.findBacklog(blast, atMost)),
});

/** The same promise for the same arguments, which must be values of JSON. */
const once = <Arguments extends readonly unknown[], Answer>(
  ask: (...values: Arguments) => Promise<Answer>,
): ((...values: Arguments) => Promise<Answer>) => {
  const answers = new Map<string, Promise<Answer>>();
  return (...values) => {
    const key = JSON.stringify(values);
    const answer = answers.get(key) ?? ask(...values);
    answers.set(key, answer);
    return answer;
  };
};
