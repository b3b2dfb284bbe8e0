import type { Attempt, Blast, Call, ClipProgress } from './api-shapes.ts';
import { inSeconds, visible } from './text.ts';

const FRAME_MS = 20;
const BAR_WIDTH = 24;
const MOST_CALLS_DRAWN = 10;

/** `[######......]`, `width` characters between the brackets. */
export const bar = (done: number, total: number, width = BAR_WIDTH): string => {
  const share = total <= 0 ? 0 : Math.min(1, Math.max(0, done / total));
  const full = Math.floor(share * width);
  return `[${'#'.repeat(full)}${'.'.repeat(width - full)}]`;
};

/** What a person calls the clip at `index` of a playlist of `count`: the greeting comes first. */
export const clipLabel = (index: number, count: number): string =>
  index === 0 ? 'greeting' : `clip ${index} of ${count - 1}`;

const lastAttempt = (call: Call): Attempt | undefined => call.attempts.at(-1);

const endOf = (call: Call): string => {
  const attempt = lastAttempt(call);
  const sip =
    attempt?.sipStatus != null && attempt.sipStatus >= 300 ? ` (${attempt.sipStatus} ${attempt.sipReason ?? ''})` : '';
  return call.outcome === 'completed' ? 'done, all clips played' : `${call.outcome ?? call.state}${sip}`;
};

/** How far a call is, in a word or two. */
export const headline = (call: Call): string => {
  if (call.state === 'finished') return endOf(call);
  return { waiting: 'waiting to be dialled', dialing: 'dialling' }[call.state] ?? call.state;
};

const clipLine = (clip: ClipProgress, index: number, count: number): string => {
  const label = clipLabel(index, count).padEnd(clipLabel(count - 1, count).length);
  const sent = (clip.framesSent * FRAME_MS) / 1000;
  return `${label}  ${bar(clip.framesSent, clip.framesTotal)}  ${sent.toFixed(1)} of ${inSeconds(clip.framesTotal * FRAME_MS)}`;
};

/** One call drawn large: how far it is, then every clip with its bar. */
export const drawCall = (call: Call): string[] => {
  const clips = lastAttempt(call)?.clips ?? [];
  const lines = [headline(call), ...clips.map((clip, index) => clipLine(clip, index, clips.length))];
  return lines.map((line) => `  ${visible(line)}`);
};

const currentClip = (call: Call): string => {
  const clips = lastAttempt(call)?.clips ?? [];
  const index = clips.findIndex((clip) => clip.framesSent < clip.framesTotal);
  const clip = clips[index];
  return call.state === 'playing' && clip ? `  ${clipLine(clip, index, clips.length)}` : '';
};

const drawCalls = (calls: readonly Call[]): string[] => {
  const shown = calls.slice(0, MOST_CALLS_DRAWN);
  const lines = shown.map((call) => visible(`  ${call.destination}: ${headline(call)}${currentClip(call)}`));
  const hidden = calls.length - shown.length;
  return hidden > 0 ? [...lines, `  and ${hidden} more`] : lines;
};

/** A blast as a block of lines to be drawn in place. */
export const drawBlast = (blast: Blast): string[] => {
  const [only, ...others] = blast.calls;
  return only !== undefined && others.length === 0 ? drawCall(only) : drawCalls(blast.calls);
};

const attemptSteps = (attempt: Attempt): string[] => {
  const { clips } = attempt;
  const reached = clips.flatMap((clip, index) =>
    clip.framesSent > 0 ? [`${clipLabel(index, clips.length)}, ${inSeconds(clip.framesTotal * FRAME_MS)}`] : [],
  );
  return [
    ...(attempt.ringingAt === null ? [] : ['ringing']),
    ...(attempt.answeredAt === null ? [] : [`answered${attempt.codec === null ? '' : `, ${attempt.codec}`}`]),
    ...reached,
  ];
};

const callSteps = (call: Call): string[] => [
  ...call.attempts.flatMap((attempt) =>
    attemptSteps(attempt).map((step) => (attempt.number === 1 ? step : `attempt ${attempt.number}: ${step}`)),
  ),
  ...(call.state === 'finished' ? [endOf(call)] : []),
];

/** What has happened so far, a line each, for where nothing can be drawn in place: later answers only add lines. */
export const stepsOf = (blast: Blast): string[] =>
  blast.calls.flatMap((call) =>
    callSteps(call).map((step) => visible(blast.calls.length === 1 ? `  ${step}` : `  ${call.destination}: ${step}`)),
  );
