import type { Container } from './container.ts';
import { listBoxes } from './mp4-boxes.ts';
import { type Octets, readAt } from './octets.ts';

/** How many octets of a file should be there for what it holds; null if it does not tell. */
type WholeBytes = (file: Octets, start: number) => Promise<number | null>;

const OGG_HEADER_BYTES = 27;
const MAX_OGG_PAGE_BYTES = OGG_HEADER_BYTES + 255 + 255 * 255;

/**
 * Where the last page of an Ogg file ends (RFC 3533 6). A last page that is no "end of stream" is taken: recorders
 * that are switched off leave none.
 */
const oggBytes: WholeBytes = async (file) => {
  const from = Math.max(file.size - MAX_OGG_PAGE_BYTES, 0);
  const tail = await readAt(file, from, Math.min(file.size, MAX_OGG_PAGE_BYTES));
  const page = tail.lastIndexOf('OggS');
  if (page < 0) return null;
  const segments = tail[page + 26];
  if (segments === undefined) return from + page + OGG_HEADER_BYTES;
  const table = tail.subarray(page + OGG_HEADER_BYTES, page + OGG_HEADER_BYTES + segments);
  return from + page + OGG_HEADER_BYTES + segments + table.reduce((sum, bytes) => sum + bytes, 0);
};

/** An EBML number at `offset` (RFC 8794 4): its value, or null if it says "unknown", and where it ends. */
const readVint = (octets: Buffer, offset: number): { value: number | null; end: number } => {
  const width = Math.clz32(octets[offset] ?? 0) - 23;
  const digits = octets.subarray(offset, offset + width);
  const value = digits.reduce((sum, octet, index) => sum * 256 + (index === 0 ? octet & (0xff >> width) : octet), 0);
  return { value: value >= 2 ** (7 * width) - 1 ? null : value, end: offset + width };
};

const SEGMENT = '18538067';

/** Where the segment of a Matroska file ends (RFC 9559 5.1); a browser's recorder says that it does not know. */
const matroskaBytes: WholeBytes = async (file, start) => {
  const head = await readAt(file, start, 4096);
  const header = readVint(head, 4);
  const segment = header.end + (header.value ?? 0);
  if (head.toString('hex', segment, segment + 4) !== SEGMENT) return null;
  const { value, end } = readVint(head, segment + 4);
  return value === null ? null : start + end + value;
};

const HAS_FRAMES = 1;
const HAS_BYTES = 2;

/** The octets that the first frame of an MP3 speaks of, if an encoder wrote its "Xing" or "Info" tag there. */
const mp3Bytes: WholeBytes = async (file, start) => {
  const head = await readAt(file, start, 200);
  const tag = [head.indexOf('Xing', 0, 'latin1'), head.indexOf('Info', 0, 'latin1')].find((at) => at > 0);
  if (tag === undefined || head[0] !== 0xff) return null;
  const flags = head.readUInt32BE(tag + 4);
  if ((flags & HAS_BYTES) === 0) return null;
  return start + head.readUInt32BE(tag + 8 + (flags & HAS_FRAMES) * 4);
};

/** Where the last movie or data box of an MP4 file ends; what else stands behind them may be rubbish. */
const movBytes: WholeBytes = async (file) => {
  const ends = (await listBoxes(file)).filter(({ name }) => name === 'moov' || name === 'mdat');
  return ends.length === 0 ? null : Math.max(...ends.map(({ offset, bytes }) => offset + bytes));
};

const WHOLE_BYTES: Partial<Record<Container['demuxer'], WholeBytes>> = {
  ogg: oggBytes,
  matroska: matroskaBytes,
  mp3: mp3Bytes,
  mov: movBytes,
};

/** What is missing of an Ogg, Matroska, MP3 or MP4 file, as the end of a sentence; null if nothing is, as far as it tells. */
export const findMissingOctets = async (file: Octets, { demuxer, start }: Container): Promise<string | null> => {
  const whole = await WHOLE_BYTES[demuxer]?.(file, start);
  return whole == null || whole <= file.size
    ? null
    : `its last part ends at octet ${whole}, but only ${file.size} are there`;
};
