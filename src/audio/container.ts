import { findFrames } from './mpeg-frames.ts';
import type { Octets } from './octets.ts';

/** A container as its octets show it: FFmpeg's name for its demuxer, and its media type. */
export interface Container {
  readonly demuxer: 'wav' | 'mp3' | 'aac' | 'ogg' | 'flac' | 'mov' | 'matroska' | 'amr' | 'aiff' | 'au' | 'gsm';
  readonly type: string;
  /** Where it begins: behind the tags that may stand in front. */
  readonly start: number;
}

type Format = Omit<Container, 'start'>;

interface Signature extends Format {
  /** Texts, in Latin-1, that must stand at their offsets. */
  readonly texts: readonly (readonly [offset: number, text: string])[];
}

const SIGNATURES: readonly Signature[] = [
  {
    demuxer: 'wav',
    type: 'audio/wav',
    texts: [
      [0, 'RIFF'],
      [8, 'WAVE'],
    ],
  },
  {
    demuxer: 'wav',
    type: 'audio/wav',
    texts: [
      [0, 'RF64'],
      [8, 'WAVE'],
    ],
  },
  { demuxer: 'ogg', type: 'audio/ogg', texts: [[0, 'OggS']] },
  { demuxer: 'flac', type: 'audio/flac', texts: [[0, 'fLaC']] },
  { demuxer: 'mov', type: 'audio/mp4', texts: [[4, 'ftyp']] },
  { demuxer: 'matroska', type: 'audio/webm', texts: [[0, '\x1a\x45\xdf\xa3']] },
  { demuxer: 'amr', type: 'audio/amr', texts: [[0, '#!AMR\n']] },
  { demuxer: 'amr', type: 'audio/amr-wb', texts: [[0, '#!AMR-WB\n']] },
  {
    demuxer: 'aiff',
    type: 'audio/aiff',
    texts: [
      [0, 'FORM'],
      [8, 'AIFF'],
    ],
  },
  {
    demuxer: 'aiff',
    type: 'audio/aiff',
    texts: [
      [0, 'FORM'],
      [8, 'AIFC'],
    ],
  },
  { demuxer: 'au', type: 'audio/basic', texts: [[0, '.snd']] },
];

const GSM: Format = { demuxer: 'gsm', type: 'audio/x-gsm' };
const GSM_FRAME_BYTES = 33;
const LEAST_GSM_FRAMES = 10;

/** GSM 06.10 without a header: frames of 33 octets that each begin with the four bits 1101. */
const isGsm = (head: Buffer): boolean => {
  const frames = Math.floor(head.length / GSM_FRAME_BYTES);
  if (frames < LEAST_GSM_FRAMES) return false;
  return Array.from({ length: frames }, (_, index) => head[index * GSM_FRAME_BYTES] ?? 0).every(
    (octet) => octet >> 4 === 0xd,
  );
};

const FRAMES: Readonly<Record<'mp3' | 'aac', Format>> = {
  mp3: { demuxer: 'mp3', type: 'audio/mpeg' },
  aac: { demuxer: 'aac', type: 'audio/aac' },
};

/** How far into the file, or beyond its tags, the first frames of MP3 or AAC are looked for. */
const WINDOW_BYTES = 64 * 1024;
const MAX_TAGS = 8;
const TAG_HEADER_BYTES = 10;

/** Octets of the ID3v2 tag that `head` begins with (ID3v2.4.0 structure, 3.1), 0 if it begins with none. */
const tagBytes = (head: Buffer): number => {
  if (head.length < TAG_HEADER_BYTES || head.toString('latin1', 0, 3) !== 'ID3') return 0;
  const [flags, a, b, c, d] = head.subarray(5, TAG_HEADER_BYTES) as unknown as [number, number, number, number, number];
  const hasFooter = (flags & 0x10) !== 0;
  const body = ((a & 0x7f) << 21) | ((b & 0x7f) << 14) | ((c & 0x7f) << 7) | (d & 0x7f);
  return TAG_HEADER_BYTES + body + (hasFooter ? TAG_HEADER_BYTES : 0);
};

/** Where the file's ID3v2 tags end; some programs write several. */
const skipTags = async (file: Octets): Promise<number> => {
  let offset = 0;
  for (let tags = 0; tags < MAX_TAGS; tags++) {
    const bytes = tagBytes(await file.read(offset, TAG_HEADER_BYTES));
    if (bytes === 0) break;
    offset += bytes;
  }
  return offset;
};

const matches = (head: Buffer, { texts }: Signature): boolean =>
  texts.every(([offset, text]) => head.toString('latin1', offset, offset + text.length) === text);

const recogniseFormat = (head: Buffer): Format | null => {
  const known = SIGNATURES.find((signature) => matches(head, signature));
  if (known) return known;
  if (isGsm(head)) return GSM;
  const frames = findFrames(head);
  return frames && FRAMES[frames];
};

/** What audio container `file` is, told by its octets alone; null for anything else. */
export const recogniseContainer = async (file: Octets): Promise<Container | null> => {
  const start = await skipTags(file);
  const format = recogniseFormat(await file.read(start, WINDOW_BYTES));
  return format && { demuxer: format.demuxer, type: format.type, start };
};
