import { deflateSync } from 'node:zlib';
import { type BadFile, be32, box, bytes, TOO_LONG, times, u32 } from './bad-file.ts';
import { type GoodFiles, makeSilence } from './good-files.ts';

const MIB = 1 << 20;
/** What the corpus is to be tried with. */
export const MAX_UPLOAD_BYTES = 24 * MIB;

/** Seven bits to an octet, as ID3 has its sizes. */
const syncSafe = (size: number): readonly number[] => [21, 14, 7, 0].map((shift) => (size >> shift) & 0x7f);

const id3 = (size: number, content: Uint8Array): Uint8Array<ArrayBuffer> =>
  bytes('ID3\x04\0\0', syncSafe(size), content);

/** Boxes in boxes, from the outside: each eight octets shorter than the one around it. */
const nested = (depth: number): Uint8Array<ArrayBuffer> =>
  times(depth, (level) => bytes(be32((depth - level) * 8), 'moov'));

const FTYP = box('ftyp', bytes('M4A ', be32(0), 'M4A isom'));

const pngChunk = (name: string, content: Uint8Array): Uint8Array<ArrayBuffer> =>
  bytes(be32(content.length), name, content, be32(0));

/** Some hundred octets that ask for ten billion when they are a picture. */
const hugePng = (): Uint8Array<ArrayBuffer> =>
  bytes(
    '\x89PNG\r\n\x1a\n',
    pngChunk('IHDR', bytes(be32(50_000), be32(50_000), [8, 6, 0, 0, 0])),
    pngChunk('IDAT', deflateSync(Buffer.alloc(100_000))),
  );

/** A FLAC with this as its front cover (RFC 9639 8.8). */
const withPicture = (flac: Buffer, picture: Uint8Array): Uint8Array<ArrayBuffer> => {
  const cover = bytes(be32(3), be32(9), 'image/png', be32(0), new Uint8Array(16), be32(picture.length), picture);
  const head = bytes([6], be32(cover.length).subarray(1));
  return bytes(flac.subarray(0, 42), head, cover, flac.subarray(42));
};

/** An Ogg file that announces many streams and has no sound in any. */
const manyStreams = (opus: Buffer, count: number): Uint8Array<ArrayBuffer> => {
  const page = opus.subarray(0, opus.indexOf('OggS', 4));
  return times(count, (serial) => bytes(page.subarray(0, 14), u32(serial), page.subarray(18)));
};

const repeat = (octets: Buffer, count: number): Uint8Array<ArrayBuffer> => times(count, () => octets);

/** Files that are small, or cheap to make, and ask for much. `folder` is for making them. */
export const bombs = async (good: GoodFiles, folder: string): Promise<readonly BadFile[]> => {
  const flac = await makeSilence(
    folder,
    7200,
    'bomb.flac',
    4000,
    '-c:a',
    'flac',
    '-frame_size',
    '65535',
    '-compression_level',
    '0',
  );
  const alac = await makeSilence(folder, 1800, 'bomb.m4a', 8000, '-c:a', 'alac');
  return [
    { name: `two hours of FLAC in ${flac.length} octets`, octets: bytes(flac), status: 413, gist: TOO_LONG },
    { name: 'half an hour of ALAC', octets: bytes(alac), status: 413, gist: TOO_LONG },
    { name: 'ten minutes of MP3', octets: repeat(good.mp3, 600), status: 413, gist: TOO_LONG },
    {
      name: 'ten minutes of MP3, damaged every second',
      octets: repeat(good.mp3.subarray(100), 600),
      status: 413,
      gist: TOO_LONG,
    },
    { name: 'ten minutes of AAC', octets: repeat(good.aac, 600), status: 413, gist: TOO_LONG },
    { name: 'ten minutes of GSM', octets: repeat(good.gsm, 600), status: 413, gist: TOO_LONG },
    {
      name: 'ten minutes of AMR without speech',
      octets: bytes('#!AMR\n', new Uint8Array(30_000).fill(0x7c)),
      status: 415,
    },
    {
      name: 'an ID3 tag of 20 MB before an MP3',
      octets: bytes(id3(20_000_000, new Uint8Array(20_000_000)), good.mp3),
      status: 201,
    },
    {
      name: 'an ID3 tag of 256 MiB, promised',
      octets: bytes(id3(256 * MIB - 1, new Uint8Array(100)), good.mp3),
      status: 415,
    },
    {
      name: '100,000 empty ID3 tags',
      octets: bytes(
        times(100_000, () => id3(0, bytes())),
        good.mp3,
      ),
      status: 415,
    },
    { name: 'a cover of 50,000 by 50,000', octets: withPicture(good.flac, hugePng()), status: 201 },
    {
      name: 'a cover of 15 MiB',
      octets: withPicture(good.flac, bytes(hugePng(), new Uint8Array(15 * MIB))),
      status: 201,
    },
    { name: '10,000 boxes in boxes', octets: bytes(FTYP, nested(10_000)), status: 415 },
    { name: '1,000,000 boxes in boxes', octets: bytes(FTYP, nested(1_000_000)), status: 415 },
    {
      name: '100,000 empty boxes',
      octets: bytes(
        FTYP,
        times(100_000, () => box('free')),
      ),
      status: 415,
    },
    { name: '5,000 streams of Ogg', octets: manyStreams(good.opus, 5_000), status: 415 },
    { name: 'more octets than are allowed', octets: new Uint8Array(MAX_UPLOAD_BYTES + 1), status: 413 },
  ];
};
