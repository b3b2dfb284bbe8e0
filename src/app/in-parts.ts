import { PART_BYTES } from '../domain/partial-upload.ts';

/** Cuts octets into pieces that end where the parts of a file end, the file being written on from `offsetBytes`. */
export async function* inParts(octets: AsyncIterable<Uint8Array>, offsetBytes: number): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let room = PART_BYTES - (offsetBytes % PART_BYTES);
  for await (const chunk of octets) {
    let rest = chunk;
    while (rest.length >= room) {
      yield joined([...held, rest.subarray(0, room)]);
      rest = rest.subarray(room);
      held = [];
      room = PART_BYTES;
    }
    if (rest.length > 0) held.push(rest);
    room -= rest.length;
  }
  if (held.length > 0) yield joined(held);
}

export const joined = (pieces: readonly Uint8Array[]): Uint8Array => {
  const whole = new Uint8Array(pieces.reduce((bytes, piece) => bytes + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
};
