import { findChunk, knownBytes, type Stretch } from './chunks.ts';
import type { Container } from './container.ts';
import { readEditSeconds } from './mp4-length.ts';
import { type Octets, readAt } from './octets.ts';

const readAuHeader = async (file: Octets): Promise<Stretch> => {
  const header = await readAt(file, 4, 8);
  return { start: header.readUInt32BE(), bytes: knownBytes(header.readUInt32BE(4)) };
};

/** Where a WAV, RF64, AIFF or AU file has its samples, and how many octets of them; null if it does not say. */
export const findSamples = async (file: Octets, { demuxer }: Container): Promise<Stretch | null> => {
  if (demuxer === 'au') return readAuHeader(file);
  if (demuxer === 'aiff') return findChunk(file, 'SSND');
  return demuxer === 'wav' ? findChunk(file, 'data') : null;
};

/**
 * What is wrong with the length of a WAV, RF64, AIFF or AU file, as the end of a sentence; null if the samples it
 * promises are all there, if its writer could not know their number, or for any other container.
 */
export const findLengthFault = async (file: Octets, container: Container): Promise<string | null> => {
  if (!['wav', 'aiff', 'au'].includes(container.demuxer)) return null;
  const samples = await findSamples(file, container);
  if (samples === null) return 'its header announces no samples';
  const present = Math.max(file.size - samples.start, 0);
  if (samples.bytes === null || samples.bytes <= present) return null;
  return `its header promises ${samples.bytes} octets of samples, but only ${present} are there`;
};

/** The seconds of sound that a FLAC file says it holds (RFC 9639 8.2); null if it does not say, or is no FLAC. */
export const readPromisedSeconds = async (file: Octets, container: Container): Promise<number | null> => {
  if (container.demuxer !== 'flac') return null;
  const streamInfo = await readAt(file, container.start + 8, 18);
  const rateHz = streamInfo.readUIntBE(10, 3) >> 4;
  const samples = (streamInfo.readUInt8(13) & 0x0f) * 2 ** 32 + streamInfo.readUInt32BE(14);
  return rateHz === 0 || samples === 0 ? null : samples / rateHz;
};

/** Codings whose last block is filled up, by their tags (RFC 2361): IMA ADPCM and GSM 06.10. */
const IN_BLOCKS: ReadonlySet<number> = new Set([0x0011, 0x0031]);

/** The seconds of sound in a WAV or MP4 file whose last block may be filled up; null for others. */
export const readBlockSeconds = async (file: Octets, { demuxer }: Container): Promise<number | null> => {
  if (demuxer === 'mov') return readEditSeconds(file);
  if (demuxer !== 'wav') return null;
  const [format, fact] = [await findChunk(file, 'fmt '), await findChunk(file, 'fact')];
  if (format === null || fact === null) return null;
  const header = await readAt(file, format.start, 8);
  if (!IN_BLOCKS.has(header.readUInt16LE())) return null;
  return (await readAt(file, fact.start, 4)).readUInt32LE() / header.readUInt32LE(4);
};
