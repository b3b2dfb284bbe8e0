/** Opus packets of one frame each, joined into one packet (RFC 6716 3.2). */

const CODE_MASK = 0x03;
const VBR = 0x80;
/** A length below this takes one octet (RFC 6716 3.2.1). */
const SHORT_LENGTH = 252;
const MAX_FRAME_BYTES = 1_275;
/** 60 ms of 20 ms frames. */
const MAX_FRAMES = 3;

const isSingle = (frame: Uint8Array): boolean =>
  frame.length >= 1 && frame.length <= 1 + MAX_FRAME_BYTES && ((frame[0] as number) & CODE_MASK) === 0;

const canJoin = (frames: readonly Uint8Array[]): boolean =>
  frames.length >= 1 &&
  frames.length <= MAX_FRAMES &&
  frames.every((frame) => isSingle(frame) && frame[0] === frames[0]?.[0]);

const writeLength = (target: Uint8Array, at: number, length: number): number => {
  if (length < SHORT_LENGTH) {
    target[at] = length;
    return at + 1;
  }
  const first = SHORT_LENGTH + (length & 3);
  target[at] = first;
  target[at + 1] = (length - first) / 4;
  return at + 2;
};

/** Writes what stands before the frames, and answers where they start. */
const writeHead = (target: Uint8Array, frames: readonly Uint8Array[], isEven: boolean): number => {
  const toc = frames[0]?.[0] ?? 0;
  const first = (frames[0]?.length ?? 1) - 1;
  if (frames.length === 1) target[0] = toc;
  else if (frames.length === 2) target[0] = toc | (isEven ? 1 : 2);
  else target[0] = toc | 3;
  if (frames.length === 2) return isEven ? 1 : writeLength(target, 1, first);
  if (frames.length < 2) return 1;
  target[1] = frames.length | (isEven ? 0 : VBR);
  return isEven ? 2 : frames.slice(0, -1).reduce((at, frame) => writeLength(target, at, frame.length - 1), 2);
};

/**
 * Joins packets of one frame each at the start of `target` and answers the length: code 0 for one, 1 or 2 for two, 3
 * for three; equal sizes without lengths, others with. Null if they cannot be joined: not of one frame, of different
 * modes or bandwidths, more than three, or too long for `target`. Then they are sent one by one.
 */
export const joinOpus = (target: Uint8Array, frames: readonly Uint8Array[]): number | null => {
  const bound = frames.reduce((bytes, frame) => bytes + frame.length + 1, 2);
  if (!canJoin(frames) || bound > target.length) return null;
  const isEven = frames.every((frame) => frame.length === frames[0]?.length);
  let at = writeHead(target, frames, isEven);
  for (const frame of frames) {
    target.set(frame.subarray(1), at);
    at += frame.length - 1;
  }
  return at;
};
