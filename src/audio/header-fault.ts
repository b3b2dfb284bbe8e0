import type { FileHandle } from 'node:fs/promises';
import type { Container } from './container.ts';
import { findFormatChunk } from './promised-length.ts';
import { readAt } from './read-at.ts';

const LOWEST_HZ = 1000;
const HIGHEST_HZ = 384_000;
const MOST_CHANNELS = 64;

/** A number of 80 bits (IEEE 754 extended), as AIFF has it, near enough. */
const readExtended = (octets: Buffer): number =>
  (octets.readUInt32BE(2) / 2 ** 31) * 2 ** (octets.readUInt16BE() - 16_383);

/** The sample rate in the header of a file whose format can have any; null for others. */
const readRateHz = async (file: FileHandle, { demuxer, start }: Container): Promise<number | null> => {
  if (demuxer === 'wav' || demuxer === 'aiff') {
    const at = await findFormatChunk(file, demuxer);
    if (at === null) return null;
    const format = await readAt(file, at, 18);
    return demuxer === 'wav' ? format.readUInt32LE(4) : readExtended(format.subarray(8));
  }
  if (demuxer === 'au') return (await readAt(file, 16, 4)).readUInt32BE();
  return demuxer === 'flac' ? (await readAt(file, start + 18, 3)).readUIntBE(0, 3) >> 4 : null;
};

const findRateFault = async (file: FileHandle, container: Container): Promise<string | null> => {
  const rateHz = await readRateHz(file, container);
  if (rateHz === null || (rateHz >= LOWEST_HZ && rateHz <= HIGHEST_HZ)) return null;
  return `The file says it has ${rateHz} samples a second, which is not between ${LOWEST_HZ} and ${HIGHEST_HZ}`;
};

/** The number of channels in the header of a file whose format can have any; null for others. */
const readChannels = async (file: FileHandle, { demuxer }: Container): Promise<number | null> => {
  if (demuxer === 'au') return (await readAt(file, 20, 4)).readUInt32BE();
  if (demuxer !== 'wav' && demuxer !== 'aiff') return null;
  const at = await findFormatChunk(file, demuxer);
  if (at === null) return null;
  const format = await readAt(file, at, 4);
  return demuxer === 'wav' ? format.readUInt16LE(2) : format.readUInt16BE();
};

const findChannelFault = async (file: FileHandle, container: Container): Promise<string | null> => {
  const channels = await readChannels(file, container);
  if (channels === null || (channels >= 1 && channels <= MOST_CHANNELS)) return null;
  return `The file says it has ${channels} channels, which is not between 1 and ${MOST_CHANNELS}`;
};

/** What is wrong with the rate or the channels of a file, as a sentence without its full stop; null if nothing is. */
export const findHeaderFault = async (file: FileHandle, container: Container): Promise<string | null> =>
  (await findRateFault(file, container)) ?? (await findChannelFault(file, container));
