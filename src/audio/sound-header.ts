import { findFormatChunk } from './chunks.ts';
import type { Container } from './container.ts';
import { type Octets, readAt } from './octets.ts';

/** What a header says of its samples; null where the format leaves no choice, or the decoder alone can tell. */
export interface SoundHeader {
  readonly rateHz: number | null;
  readonly channels: number | null;
  /** Octets of one sample of all channels: of uncompressed sound only. */
  readonly frameBytes: number | null;
  /** The same where the header has a field for it. */
  readonly statedFrameBytes: number | null;
}

type ReadHeader = (file: Octets, start: number) => Promise<SoundHeader | null>;

/** Coding tags of WAV (RFC 2361). */
const PCM = 1;
const FLOAT = 3;
const EXTENSIBLE = 0xfffe;
/** A-law and µ-law: an octet a sample, whatever is said of bits. */
const G711: readonly number[] = [6, 7];

const widthBytes = (bits: number): number => Math.ceil(bits / 8);

/** The format chunk of WAV; that of "extensible" has the true coding in front of its GUID. */
const readWav: ReadHeader = async (file) => {
  const at = await findFormatChunk(file, 'wav');
  if (at === null) return null;
  const format = await readAt(file, at, 26);
  const [tag, channels, rateHz] = [format.readUInt16LE(), format.readUInt16LE(2), format.readUInt32LE(4)];
  const coding = tag === EXTENSIBLE ? format.readUInt16LE(24) : tag;
  if (G711.includes(coding)) return { rateHz, channels, frameBytes: channels, statedFrameBytes: null };
  if (coding !== PCM && coding !== FLOAT) return { rateHz, channels, frameBytes: null, statedFrameBytes: null };
  const frameBytes = channels * widthBytes(format.readUInt16LE(14));
  return { rateHz, channels, frameBytes, statedFrameBytes: format.readUInt16LE(12) };
};

/** A number of 80 bits (IEEE 754 extended), as AIFF has it, near enough. */
const readExtended = (octets: Buffer): number =>
  (octets.readUInt32BE(2) / 2 ** 31) * 2 ** (octets.readUInt16BE() - 16_383);

/** Codings of AIFF-C that are none. */
const PLAIN_AIFC: readonly string[] = ['NONE', 'sowt', 'twos'];

const readAiff: ReadHeader = async (file) => {
  const at = await findFormatChunk(file, 'aiff');
  if (at === null) return null;
  const form = (await readAt(file, 8, 4)).toString('latin1');
  const common = await readAt(file, at, 22);
  const isPlain = form === 'AIFF' || PLAIN_AIFC.includes(common.toString('latin1', 18, 22));
  const channels = common.readUInt16BE();
  const frameBytes = isPlain ? channels * widthBytes(common.readUInt16BE(6)) : null;
  return { rateHz: readExtended(common.subarray(8)), channels, frameBytes, statedFrameBytes: null };
};

/** Octets of a sample by the coding of AU: µ-law, integers, floats, A-law. */
const AU_BYTES: Readonly<Record<number, number>> = { 1: 1, 2: 1, 3: 2, 4: 3, 5: 4, 6: 4, 7: 8, 27: 1 };

const readAu: ReadHeader = async (file) => {
  const header = await readAt(file, 12, 12);
  const [coding, rateHz, channels] = [header.readUInt32BE(), header.readUInt32BE(4), header.readUInt32BE(8)];
  const bytes = AU_BYTES[coding];
  return { rateHz, channels, frameBytes: bytes === undefined ? null : bytes * channels, statedFrameBytes: null };
};

/** STREAMINFO (RFC 9639 8.2). */
const readFlac: ReadHeader = async (file, start) => {
  const info = await readAt(file, start + 18, 3);
  const channels = ((info.readUInt8(2) >> 1) & 7) + 1;
  return { rateHz: info.readUIntBE(0, 3) >> 4, channels, frameBytes: null, statedFrameBytes: null };
};

/** The first packet of Opus (RFC 7845 5.1), which always has 48 kHz, or of Vorbis (Vorbis I 4.2.2). */
const readOgg: ReadHeader = async (file, start) => {
  const segments = (await readAt(file, start + 26, 1)).readUInt8();
  const packet = await readAt(file, start + 27 + segments, 16);
  const none = { frameBytes: null, statedFrameBytes: null };
  if (packet.toString('latin1', 0, 8) === 'OpusHead') return { rateHz: null, channels: packet.readUInt8(9), ...none };
  if (packet.toString('latin1', 0, 7) !== '\x01vorbis') return null;
  return { rateHz: packet.readUInt32LE(12), channels: packet.readUInt8(11), ...none };
};

const READERS: Partial<Record<Container['demuxer'], ReadHeader>> = {
  wav: readWav,
  aiff: readAiff,
  au: readAu,
  flac: readFlac,
  ogg: readOgg,
};

/** What the header of a file says of its samples; null if it is not there, or for other containers. */
export const readSoundHeader = async (file: Octets, { demuxer, start }: Container): Promise<SoundHeader | null> =>
  (await READERS[demuxer]?.(file, start)) ?? null;
