import type { AppError } from '../domain/app-error.ts';
import type { Application } from '../domain/application.ts';
import { dialledUntilLast } from '../domain/backlog.ts';
import type { BlastQuestions } from './asked-once.ts';
import { cannotCallNow } from './blast-refusals.ts';
import type { DialerHandle } from './dialer-handle.ts';

/** Calls of one queue that are counted, which takes some 10 ms; more are taken for as many as wait in all. */
const MAX_COUNTED = 100_000;

export interface OverloadedBlast {
  readonly application: Pick<Application, 'id' | 'priority' | 'dialBySeconds'>;
  readonly trunkIds: readonly string[];
  readonly calls: number;
  /** Calls that wait already, of all applications. */
  readonly waiting: number;
}

/**
 * Throws `cannot_call_now` if the last call of the blast would not be dialled in time by all nodes together. While one of
 * them is not overloaded nobody is refused: it takes the calls.
 */
export const judgeOverload = async (
  views: Pick<BlastQuestions, 'listPacesElsewhere' | 'findBacklog'>,
  blast: OverloadedBlast,
  dialer: Pick<DialerHandle, 'callsPerMinuteOverloaded'>,
): Promise<void> => {
  const { application, trunkIds, calls, waiting } = blast;
  const callsPerMinute = await paceOfAll(views, dialer.callsPerMinuteOverloaded());
  if (callsPerMinute === null) return;
  const inTime = Math.floor((callsPerMinute / 60) * application.dialBySeconds);
  if (waiting + calls <= inTime) return;
  if (callsPerMinute === 0)
    throw cannotCallNow('The server is overloaded: it dialled no call in the last minute. Try again later.');
  const atMost = Math.min(inTime + 1, MAX_COUNTED);
  const { ahead, share } = await views.findBacklog({ application, trunkIds, calls }, atMost);
  const dialled = dialledUntilLast(calls, waiting, { share, ahead: ahead < atMost ? ahead : waiting });
  if (dialled > inTime) throw overloaded(callsPerMinute, dialled, application);
};

/** Calls that all nodes dial a minute; null while one of them may have room. */
const paceOfAll = async (
  views: Pick<BlastQuestions, 'listPacesElsewhere'>,
  own: number | null,
): Promise<number | null> => {
  if (own === null) return null;
  const elsewhere = await views.listPacesElsewhere();
  return elsewhere.reduce<number | null>((sum, pace) => (sum === null || pace === null ? null : sum + pace), own);
};

const overloaded = (
  callsPerMinute: number,
  dialled: number,
  { dialBySeconds }: OverloadedBlast['application'],
): AppError =>
  cannotCallNow(
    `The server is overloaded: it dialled ${callsPerMinute} calls in the last minute, and ${dialled} would be dialled ` +
      `until the last of this blast is, which takes longer than the application's ${dialBySeconds} s. ` +
      'Try again later, or raise dialBySeconds of the application.',
  );
