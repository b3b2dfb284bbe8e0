import type { BlastView } from '../domain/blast.ts';
import type { AttemptView, CallView } from '../domain/call.ts';
import type { DialerHandle } from './dialer-handle.ts';

type Progress = Pick<DialerHandle, 'framesSent'>;

/** The blast with the frames that its calls in progress have sent so far, which the store learns of only at the end. */
export const withLiveProgress = (blast: BlastView, dialer: Progress): BlastView => ({
  ...blast,
  calls: blast.calls.map((call) => callWithLiveProgress(call, dialer)),
});

export const callWithLiveProgress = (call: CallView, dialer: Progress): CallView => ({
  ...call,
  attempts: call.attempts.map((attempt) => attemptWithLiveProgress(attempt, dialer)),
});

const attemptWithLiveProgress = (attempt: AttemptView, dialer: Progress): AttemptView => {
  const framesSent = attempt.endedAt === null ? dialer.framesSent(attempt.id) : null;
  if (!framesSent) return attempt;
  return {
    ...attempt,
    clips: attempt.clips.map((clip, index) => ({ ...clip, framesSent: framesSent[index] ?? clip.framesSent })),
  };
};
