/**
 * Which slots of time a packet takes, for many calls at once: one table of numbers, a row a call, nothing allocated.
 *
 * Time since the start is cut into slots of 10 ms; slot `n` begins at `start + n * 10 ms` on a monotonic clock, so
 * lateness never adds up. A packet holds 10 to 60 ms of a clip and takes as many slots. Packets take them in order:
 *
 * - Woken in time or a little late: the packet is sent at once in its own slot, and the next is due when it would have
 *   been anyway. Packets that are overdue by then follow 5 ms apart, a pace that a jitter buffer takes for ordinary
 *   network jitter, until the schedule is met again. Nothing is lost and no gap is heard.
 * - Woken 100 ms late or more (a stalled or suspended machine): the slots that went by stay silent and the same packet
 *   is sent in the present one. Nothing is skipped, because in a message every word counts and nobody waits for it in
 *   conversation; nothing is sent in a burst, because a phone's jitter buffer would drop it. The RTP timestamp counts
 *   slots, so it advances by the real gap, as after a pause in speech, and the marker bit says so (RFC 3551 4.1):
 *   receivers then do not take the gap for loss or for a clock that runs slow.
 * - Held by the peer: the slots of the hold stay silent, and play goes on with the packet that was next.
 *
 * In short: the sequence number counts packets, the timestamp counts slots, and no two packets of a call leave within
 * 5 ms of each other. See docs/adr/0015-the-loop-of-the-media-thread.md.
 */

export const SLOT_MS = 10;
/** Lateness from which on slots are left silent: more than jitter buffers commonly hold. */
const STALL_MS = 100;
const CATCH_UP_INTERVAL_MS = 5;

/** A row for each call. */
export interface Playouts {
  readonly startAtMs: Float64Array;
  /** No packet before this: keeps overdue packets apart. */
  readonly notBeforeMs: Float64Array;
  /** The slot that the next packet begins. */
  readonly slot: Uint32Array;
  /** 1 if the next packet is the first of the stream, or the first after silence. */
  readonly marker: Uint8Array;
  /** The next packet holds clip number `clip` from its slot `place` on. */
  readonly clip: Uint32Array;
  readonly place: Uint32Array;
}

export const createPlayouts = (rows: number): Playouts => ({
  startAtMs: new Float64Array(rows),
  notBeforeMs: new Float64Array(rows),
  slot: new Uint32Array(rows),
  marker: new Uint8Array(rows),
  clip: new Uint32Array(rows),
  place: new Uint32Array(rows),
});

/** Starts a playlist of clips with so many slots each, some perhaps none; the first packet is due at once. */
export const startPlayout = (table: Playouts, row: number, lengths: readonly number[], nowMs: number): void => {
  table.startAtMs[row] = nowMs;
  table.notBeforeMs[row] = nowMs;
  table.slot[row] = 0;
  table.marker[row] = 1;
  moveTo(table, row, lengths, 0, 0);
};

const at = (column: Float64Array | Uint32Array, row: number): number => column[row] ?? 0;

const moveTo = (
  table: Playouts,
  row: number,
  lengths: readonly number[],
  fromClip: number,
  fromPlace: number,
): void => {
  let clip = fromClip;
  let place = fromPlace;
  while (clip < lengths.length && place >= (lengths[clip] ?? 0)) {
    clip += 1;
    place = 0;
  }
  table.clip[row] = clip;
  table.place[row] = place;
};

/** When the first slot of the next packet begins. */
export const slotBeginMs = (table: Playouts, row: number): number =>
  at(table.startAtMs, row) + at(table.slot, row) * SLOT_MS;

/** When there is something to do next: a packet to send, or the end to tell. */
export const playoutDueMs = (table: Playouts, row: number): number =>
  Math.max(slotBeginMs(table, row), at(table.notBeforeMs, row));

/** Whether everything was taken; the last packet has had its time at `playoutDueMs`. */
export const isPlayedOut = (table: Playouts, row: number, lengths: readonly number[]): boolean =>
  at(table.clip, row) >= lengths.length;

/** Before a packet is sent: leaves the slots silent that went by, if it is 100 ms late or more, for the present one. */
export const skipStall = (table: Playouts, row: number, nowMs: number): void => {
  if (nowMs - slotBeginMs(table, row) >= STALL_MS) skipTo(table, row, Math.floor(slotsUntil(table, row, nowMs)));
};

/** Goes on after a hold: the slots that went by stay silent, and the next packet waits for a slot to begin. */
export const resumePlayout = (table: Playouts, row: number, nowMs: number): void => {
  const slots = Math.ceil(slotsUntil(table, row, nowMs));
  if (slots > at(table.slot, row)) skipTo(table, row, slots);
};

const slotsUntil = (table: Playouts, row: number, nowMs: number): number =>
  (nowMs - at(table.startAtMs, row)) / SLOT_MS;

const skipTo = (table: Playouts, row: number, slot: number): void => {
  table.slot[row] = slot;
  table.marker[row] = 1;
};

/** The next packet was sent at `nowMs` and took so many slots: on to the one after it. */
export const advancePlayout = (
  table: Playouts,
  row: number,
  lengths: readonly number[],
  slots: number,
  nowMs: number,
): void => {
  table.notBeforeMs[row] = nowMs + CATCH_UP_INTERVAL_MS;
  table.slot[row] = at(table.slot, row) + slots;
  table.marker[row] = 0;
  moveTo(table, row, lengths, at(table.clip, row), at(table.place, row) + slots);
};
