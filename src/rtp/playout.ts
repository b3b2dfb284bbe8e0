/**
 * Which frame of a playlist is due when.
 *
 * Time since the start is cut into slots of 20 ms; slot `n` begins at `start + n * 20 ms` on a monotonic clock, so
 * lateness never adds up. Frames take slots in order:
 *
 * - Woken in time or a little late: the frame is sent at once in its own slot, and the next is due when it would have
 *   been anyway. Frames that are overdue by then follow 5 ms apart, a pace that a jitter buffer takes for ordinary
 *   network jitter, until the schedule is met again. Nothing is lost and no gap is heard.
 * - Woken 100 ms late or more (a stalled or suspended machine): the slots that went by stay silent and the same frame
 *   is sent in the present one. Nothing is skipped, because in a message every word counts and nobody waits for it in
 *   conversation; nothing is sent in a burst, because a phone's jitter buffer would drop it. The RTP timestamp counts
 *   slots, so it advances by the real gap, as after a pause in speech, and the marker bit says so (RFC 3551 4.1):
 *   receivers then do not take the gap for loss or for a clock that runs slow.
 *
 * In short: the sequence number counts frames, the timestamp counts slots, and no two packets of a call leave within
 * 5 ms of each other. See docs/adr/0006-late-frames.md.
 */

const SLOT_MS = 20;
const SAMPLES_PER_SLOT = 160;
/** Lateness from which on slots are left silent: more than jitter buffers commonly hold. */
const STALL_MS = 100;
const CATCH_UP_INTERVAL_MS = 5;

/** What comes next: frame `frame` of clip `clip`, in slot `slot`. */
export interface Playout {
  readonly startAtMs: number;
  /** No packet before this: keeps overdue frames apart. */
  readonly notBeforeMs: number;
  readonly slot: number;
  readonly clip: number;
  readonly frame: number;
}

/** `send`: one frame is due. `wait`: nothing is, before `untilMs`. `over`: the last frame has had its 20 ms. */
export type PlayoutStep =
  | { readonly kind: 'wait'; readonly untilMs: number }
  | { readonly kind: 'over' }
  | {
      readonly kind: 'send';
      readonly clip: number;
      readonly frame: number;
      /** Samples since the first packet, to be added to its timestamp modulo 2^32. */
      readonly timestampOffset: number;
      /** Set on the first packet and after slots that stayed silent. */
      readonly marker: boolean;
      readonly next: Playout;
    };

const atFrameThatExists = (frameCounts: readonly number[], playout: Playout): Playout => {
  let { clip, frame } = playout;
  while (clip < frameCounts.length && frame >= (frameCounts[clip] ?? 0)) {
    clip += 1;
    frame = 0;
  }
  return { ...playout, clip, frame };
};

/** Starts a playlist of clips with so many frames each; the first frame is due at once. Clips may be empty. */
export const startPlayout = (frameCounts: readonly number[], nowMs: number): Playout =>
  atFrameThatExists(frameCounts, { startAtMs: nowMs, notBeforeMs: nowMs, slot: 0, clip: 0, frame: 0 });

/** When there is something to do next, on the clock that `startPlayout` was given. */
export const playoutDueMs = (playout: Playout): number => Math.max(slotBeginMs(playout), playout.notBeforeMs);

const slotBeginMs = (playout: Playout): number => playout.startAtMs + playout.slot * SLOT_MS;

/** What is to be done now; never more than one frame. */
export const stepPlayout = (frameCounts: readonly number[], playout: Playout, nowMs: number): PlayoutStep => {
  const dueMs = playoutDueMs(playout);
  if (nowMs < dueMs) return { kind: 'wait', untilMs: dueMs };
  const { clip, frame } = playout;
  if (clip >= frameCounts.length) return { kind: 'over' };
  const lateMs = nowMs - slotBeginMs(playout);
  const silentSlots = lateMs < STALL_MS ? 0 : Math.floor(lateMs / SLOT_MS);
  const slot = playout.slot + silentSlots;
  return {
    kind: 'send',
    clip,
    frame,
    timestampOffset: slot * SAMPLES_PER_SLOT,
    marker: playout.slot === 0 || silentSlots > 0,
    next: atFrameThatExists(frameCounts, {
      startAtMs: playout.startAtMs,
      notBeforeMs: nowMs + CATCH_UP_INTERVAL_MS,
      slot: slot + 1,
      clip,
      frame: frame + 1,
    }),
  };
};
