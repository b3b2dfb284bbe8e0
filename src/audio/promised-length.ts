import type { FileHandle } from 'node:fs/promises';
import type { Container } from './container.ts';
import { readEditSeconds } from './mp4-length.ts';
import { readAt } from './read-at.ts';

/** Sizes from here on are what programs write that cannot know the length yet (a pipe): no file that long is taken. */
const UNKNOWN_BYTES = 0x7fff0000;
const CHUNK_HEADER_BYTES = 8;
const FIRST_CHUNK = 12;
const MAX_CHUNKS = 1000;

/** Where the samples begin, and how many octets of them the header announces. */
interface Promised {
  readonly start: number;
  readonly bytes: number;
}

/** The data size of an RF64 file, out of its `ds64` chunk (EBU Tech 3306, 3.4). */
const readLongDataSize = async (file: FileHandle, start: number): Promise<number> =>
  Number((await readAt(file, start + 8, 8)).readBigUInt64LE());

/** Walks the chunks of RIFF and RF64 (`data`, little-endian) or of AIFF (`SSND`, big-endian). */
const findChunk = async (
  file: FileHandle,
  id: 'data' | 'fmt ' | 'fact' | 'SSND' | 'COMM',
): Promise<Promised | null> => {
  let longDataSize: number | null = null;
  let offset = FIRST_CHUNK;
  for (let count = 0; count < MAX_CHUNKS; count++) {
    const header = await readAt(file, offset, CHUNK_HEADER_BYTES);
    const name = header.toString('latin1', 0, 4);
    const bytes = id === 'SSND' || id === 'COMM' ? header.readUInt32BE(4) : header.readUInt32LE(4);
    const start = offset + CHUNK_HEADER_BYTES;
    if (name === id) return { start, bytes: id === 'data' ? (longDataSize ?? bytes) : bytes };
    if (name === '\0\0\0\0') break;
    if (name === 'ds64') longDataSize = await readLongDataSize(file, start);
    offset = start + bytes + (bytes % 2);
  }
  return null;
};

/** Where the content of the chunk begins that tells the sample rate; null if there is none. */
export const findFormatChunk = async (file: FileHandle, demuxer: 'wav' | 'aiff'): Promise<number | null> =>
  (await findChunk(file, demuxer === 'wav' ? 'fmt ' : 'COMM'))?.start ?? null;

const readAuHeader = async (file: FileHandle): Promise<Promised> => {
  const header = await readAt(file, 4, 8);
  return { start: header.readUInt32BE(), bytes: header.readUInt32BE(4) };
};

const findPromise = (file: FileHandle, demuxer: Container['demuxer']): Promise<Promised | null> => {
  if (demuxer === 'au') return readAuHeader(file);
  return findChunk(file, demuxer === 'aiff' ? 'SSND' : 'data');
};

/**
 * What is wrong with the length of a WAV, RF64, AIFF or AU file, as the end of a sentence; null if the samples it
 * promises are all there, if its writer could not know their number, or for any other container.
 */
export const findLengthFault = async (file: FileHandle, { demuxer }: Container): Promise<string | null> => {
  if (demuxer !== 'wav' && demuxer !== 'aiff' && demuxer !== 'au') return null;
  const promised = await findPromise(file, demuxer);
  if (promised === null) return 'its header announces no samples';
  const present = Math.max((await file.stat()).size - promised.start, 0);
  if (promised.bytes >= UNKNOWN_BYTES || promised.bytes <= present) return null;
  return `its header promises ${promised.bytes} octets of samples, but only ${present} are there`;
};

/** The seconds of sound that a FLAC file says it holds (RFC 9639 8.2); null if it does not say, or is no FLAC. */
export const readPromisedSeconds = async (file: FileHandle, container: Container): Promise<number | null> => {
  if (container.demuxer !== 'flac') return null;
  const streamInfo = await readAt(file, container.start + 8, 18);
  const rateHz = streamInfo.readUIntBE(10, 3) >> 4;
  const samples = (streamInfo.readUInt8(13) & 0x0f) * 2 ** 32 + streamInfo.readUInt32BE(14);
  return rateHz === 0 || samples === 0 ? null : samples / rateHz;
};

/** Codings whose last block is filled up, by their tags (RFC 2361): IMA ADPCM and GSM 06.10. */
const IN_BLOCKS: ReadonlySet<number> = new Set([0x0011, 0x0031]);

/** The seconds of sound in a WAV or MP4 file whose last block may be filled up; null for others. */
export const readBlockSeconds = async (file: FileHandle, { demuxer }: Container): Promise<number | null> => {
  if (demuxer === 'mov') return readEditSeconds(file);
  if (demuxer !== 'wav') return null;
  const [format, fact] = [await findChunk(file, 'fmt '), await findChunk(file, 'fact')];
  if (format === null || fact === null) return null;
  const header = await readAt(file, format.start, 8);
  if (!IN_BLOCKS.has(header.readUInt16LE())) return null;
  return (await readAt(file, fact.start, 4)).readUInt32LE() / header.readUInt32LE(4);
};
