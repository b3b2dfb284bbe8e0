import { type Octets, readAt } from './octets.ts';

/** Sizes from here on are what programs write that cannot know the length yet (a pipe): no file that long is taken. */
const UNKNOWN_BYTES = 0x7fff0000;
const CHUNK_HEADER_BYTES = 8;
const FIRST_CHUNK = 12;
const MAX_CHUNKS = 1000;

/** A stretch of a file, and how long its header says it is: null if its writer could not know. */
export interface Stretch {
  readonly start: number;
  readonly bytes: number | null;
}

/** A size of 32 bits as a header has it. */
export const knownBytes = (bytes: number): number | null => (bytes >= UNKNOWN_BYTES ? null : bytes);

/** The data size of an RF64 file, out of its `ds64` chunk (EBU Tech 3306, 3.4). */
const readLongDataSize = async (file: Octets, start: number): Promise<number> =>
  Number((await readAt(file, start + 8, 8)).readBigUInt64LE());

type ChunkId = 'data' | 'fmt ' | 'fact' | 'SSND' | 'COMM';

/** Walks the chunks of RIFF and RF64 (`data`, little-endian) or of AIFF (`SSND`, big-endian). */
export const findChunk = async (file: Octets, id: ChunkId): Promise<Stretch | null> => {
  let longDataSize: number | null = null;
  let offset = FIRST_CHUNK;
  for (let count = 0; count < MAX_CHUNKS; count++) {
    const header = await readAt(file, offset, CHUNK_HEADER_BYTES);
    const name = header.toString('latin1', 0, 4);
    const bytes = id === 'SSND' || id === 'COMM' ? header.readUInt32BE(4) : header.readUInt32LE(4);
    const start = offset + CHUNK_HEADER_BYTES;
    if (name === id) return { start, bytes: longDataSize ?? knownBytes(bytes) };
    if (name === '\0\0\0\0') break;
    if (name === 'ds64') longDataSize = await readLongDataSize(file, start);
    offset = start + bytes + (bytes % 2);
  }
  return null;
};

/** Where the content of the chunk begins that tells the sample rate; null if there is none. */
export const findFormatChunk = async (file: Octets, demuxer: 'wav' | 'aiff'): Promise<number | null> =>
  (await findChunk(file, demuxer === 'wav' ? 'fmt ' : 'COMM'))?.start ?? null;
