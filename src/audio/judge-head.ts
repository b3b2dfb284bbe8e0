import type { JudgeHead } from '../domain/ports.ts';
import { type Container, recogniseContainer } from './container.ts';
import { findHeaderFault } from './header-fault.ts';
import { notAudio } from './not-audio.ts';
import type { Octets } from './octets.ts';
import { findSamples } from './promised-length.ts';
import { readSoundHeader } from './sound-header.ts';

/** What is beyond the head was asked for: nothing can be told yet. */
class BeyondHead extends Error {}

const headOf = (head: Uint8Array): Octets => ({
  size: Infinity,
  async read(offset, bytes) {
    if (offset + bytes > head.length) throw new BeyondHead();
    return Buffer.from(head.subarray(offset, offset + bytes));
  },
});

/**
 * Octets of a file of uncompressed sound that hold more than a second too much. What stands behind the samples does not
 * count; if their number is not known, or is 0 as switched-off recorders leave it, all there is are samples.
 */
const findMostBytes = async (file: Octets, container: Container, maxSeconds: number): Promise<number> => {
  const samples = await findSamples(file, container);
  const header = await readSoundHeader(file, container);
  if (samples === null || !header?.frameBytes || !header.rateHz) return Infinity;
  const bytes = (maxSeconds + 1) * header.rateHz * header.frameBytes;
  return (samples.bytes || Infinity) <= bytes ? Infinity : samples.start + bytes;
};

/** Judges by the octets, as `Ingest` does when all are there; what cannot be told yet is left to it. */
export const judgeHead: JudgeHead = async (head, { maxSeconds }) => {
  try {
    const file = headOf(head);
    const container = await recogniseContainer(file);
    if (container === null) throw notAudio('The file is not audio.');
    const fault = await findHeaderFault(file, container);
    if (fault !== null) throw notAudio(`${fault}.`);
    return await findMostBytes(file, container, maxSeconds);
  } catch (error) {
    if (error instanceof BeyondHead) return Infinity;
    throw error;
  }
};
