import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PART_BYTES } from '../domain/partial-upload.ts';
import { inParts } from './in-parts.ts';

async function* chunksOf(lengths: readonly number[]): AsyncGenerator<Uint8Array> {
  let next = 0;
  for (const length of lengths) {
    yield Uint8Array.from({ length }, () => next++ % 251);
  }
}

it('cuts any chunks into pieces that lie within one part each, and loses nothing', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(3 * PART_BYTES),
      fc.array(fc.oneof(fc.nat(1000), fc.constantFrom(PART_BYTES, PART_BYTES + 1, 2 * PART_BYTES)), { maxLength: 4 }),
      async (offset, lengths) => {
        let at = offset;
        const pieces: Uint8Array[] = [];
        for await (const piece of inParts(chunksOf(lengths), offset)) {
          expect(piece.length).toBeGreaterThan(0);
          expect(Math.floor(at / PART_BYTES)).toBe(Math.floor((at + piece.length - 1) / PART_BYTES));
          at += piece.length;
          pieces.push(piece);
        }
        const sent: Uint8Array[] = [];
        for await (const chunk of chunksOf(lengths)) sent.push(chunk);
        expect(Buffer.concat(pieces).equals(Buffer.concat(sent))).toBe(true);
      },
    ),
    { numRuns: 20 },
  );
});
