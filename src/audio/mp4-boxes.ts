import { type Octets, readAt } from './octets.ts';

const MAX_BOXES = 1000;
const HEADER_BYTES = 8;

/** A box of MP4 (ISO/IEC 14496-12 4.2). */
export interface Box {
  readonly name: string;
  readonly offset: number;
  /** As it says, its header included; to the end of the file if it says so. */
  readonly bytes: number;
}

/** The boxes of a file that are in no other, up to one that cannot be. */
export const listBoxes = async (file: Octets): Promise<readonly Box[]> => {
  const boxes: Box[] = [];
  let offset = 0;
  while (boxes.length < MAX_BOXES && offset + HEADER_BYTES <= file.size) {
    const header = await readAt(file, offset, 16);
    const short = header.readUInt32BE();
    const long = short === 1 ? Number(header.readBigUInt64BE(HEADER_BYTES)) : short;
    const bytes = short === 0 ? file.size - offset : long;
    if (bytes < HEADER_BYTES) break;
    boxes.push({ name: header.toString('latin1', 4, 8), offset, bytes });
    offset += bytes;
  }
  return boxes;
};
