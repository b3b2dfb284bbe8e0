import { readFile } from 'node:fs/promises';
import type { Blast } from '../cli/api-shapes.ts';
import { Failure } from '../cli/failure.ts';
import { postBlast } from '../cli/post-blast.ts';
import { headline } from '../cli/progress.ts';
import { visible } from '../cli/text.ts';
import { watchBlast } from '../cli/watch-blast.ts';
import { readWav } from '../rtp/wav.ts';
import { type Comparison, compareAudio, type SentPart, whatDiffers } from './compare.ts';
import { pauseSentence, pausesIn, withoutPauses } from './pauses.ts';
import type { Provision } from './provision.ts';
import type { Stage } from './stage.ts';

/** A blast that was made, and what came of it. */
export interface Performance {
  readonly blastId: string;
  /** Path of the WAV file that the phone recorded. */
  readonly recording: string;
  readonly comparison: Comparison;
  /** One sentence for people if what was heard differs, null if it is equal. */
  readonly difference: string | null;
  /** The machine stalled, so that the call paused, and nothing else differs. */
  readonly stalled: boolean;
}

export interface Play {
  readonly stage: Stage;
  readonly made: Provision;
  readonly mediaIds: readonly string[];
  readonly sent: readonly SentPart[];
  readonly onProgress: (blast: Blast) => void;
  readonly signal: AbortSignal;
}

const POLL_EVERY_MS = 100;
const RECORDED_WITHIN_MS = 10_000;
/** Beyond the audio: ringing, the dialer's own waits, and the server's ring time-out of 45 s. */
const CALL_OVERHEAD_MS = 90_000;
const SAMPLES_PER_MS = 8;

const callOf = (blast: Blast) => {
  const call = blast.calls[0];
  const sipCallId = call?.attempts.at(-1)?.sipCallId;
  if (call === undefined || sipCallId === undefined)
    throw new Failure('the blast ended without a call: look at the log.');
  if (call.outcome !== 'completed') throw new Failure(`the call did not play everything: ${visible(headline(call))}.`);
  return { sipCallId };
};

const watchToTheEnd = async (play: Play, blastId: string): Promise<Blast> => {
  const audioMs = play.sent.reduce((samples, part) => samples + part.samples.length, 0) / SAMPLES_PER_MS;
  const timeout = AbortSignal.timeout(audioMs + CALL_OVERHEAD_MS);
  const signal = AbortSignal.any([play.signal, timeout]);
  try {
    const watch = { everyMs: POLL_EVERY_MS, onProgress: play.onProgress, signal };
    return (await watchBlast(play.made.application, blastId, watch)).value;
  } catch (error) {
    play.signal.throwIfAborted();
    if (timeout.aborted) throw new Failure('the call did not end in time.');
    throw error;
  }
};

/** What the phone tells of a recording once it is written. */
const recordingOf = async ({ phone }: Stage, sipCallId: string) => {
  const told = await phone.untilSaid(
    (said) => (said.type === 'recorded' || said.type === 'not_recorded') && said.sipCallId === sipCallId,
    RECORDED_WITHIN_MS,
  );
  if (told.type === 'recorded') return { path: String(told.path), pauses: pausesIn(told.pauses) };
  throw new Failure(`the phone could not record the call: ${visible(String(told.reason))}.`);
};

/** Blasts, follows the call to its end, and compares the phone's recording with what was sent. */
export const perform = async (play: Play): Promise<Performance> => {
  const { stage, made, mediaIds } = play;
  const { networkId, appKey } = made;
  const { blastId } = await postBlast(made.seed, { mediaIds, networkId, appKey });
  const { sipCallId } = callOf(await watchToTheEnd(play, blastId));
  const { path, pauses } = await recordingOf(stage, sipCallId);
  const heard = readWav(await readFile(path)).samples;
  const comparison = compareAudio(play.sent, heard);
  const paused = pauseSentence(play.sent, heard, pauses, comparison);
  const difference = comparison.equal ? null : (paused ?? whatDiffers(comparison));
  const stalled = !comparison.equal && compareAudio(play.sent, withoutPauses(heard, pauses)).equal;
  return { blastId, recording: path, comparison, difference, stalled };
};
