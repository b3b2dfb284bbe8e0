/** Frame headers of MPEG audio layers I to III (ISO/IEC 11172-3 2.4.1.3, 13818-3) and of AAC in ADTS (13818-7 6.2). */

export type FrameKind = 'mp3' | 'aac';

interface FrameHeader {
  readonly kind: FrameKind;
  /** What must be the same in every frame of one stream: version, layer, sampling frequency. */
  readonly stream: number;
  readonly bytes: number;
}

/** Kilobits a second by bitrate index 1 to 14. */
const BITRATES_KBPS = {
  version1: [
    [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  ],
  version2: [
    [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  ],
} as const;

/** By version field: 0 is MPEG 2.5, 1 reserved, 2 MPEG 2, 3 MPEG 1. */
const SAMPLE_RATES_HZ = [[11025, 12000, 8000], [], [22050, 24000, 16000], [44100, 48000, 32000]] as const;

const ADTS_SAMPLE_RATES = 13;

/** Layer I counts in slots of four octets; layer III of the lower rates has half the samples of layer II. */
const frameBytes = (layer: number, isVersion1: boolean, bitrateHz: number, rateHz: number, padding: number): number => {
  if (layer === 1) return (Math.floor((12 * bitrateHz) / rateHz) + padding) * 4;
  const samples = layer === 3 && !isVersion1 ? 576 : 1152;
  return Math.floor(((samples / 8) * bitrateHz) / rateHz) + padding;
};

const readMpegHeader = (header: number): FrameHeader | null => {
  const version = (header >>> 19) & 3;
  const layer = 4 - ((header >>> 17) & 3);
  const isVersion1 = version === 3;
  const kbps = BITRATES_KBPS[isVersion1 ? 'version1' : 'version2'][layer - 1]?.[((header >>> 12) & 15) - 1];
  const rateHz = SAMPLE_RATES_HZ[version]?.[(header >>> 10) & 3];
  if (kbps === undefined || rateHz === undefined) return null;
  const bytes = frameBytes(layer, isVersion1, kbps * 1000, rateHz, (header >>> 9) & 1);
  return { kind: 'mp3', stream: header & 0x1e0c00, bytes };
};

const readAdtsHeader = (header: number, next: number): FrameHeader | null => {
  const bytes = ((header & 3) << 11) | (next >>> 21);
  if (((header >>> 10) & 15) >= ADTS_SAMPLE_RATES || bytes < 7) return null;
  return { kind: 'aac', stream: header & 0x083c00, bytes };
};

const readFrameHeader = (view: DataView, offset: number): FrameHeader | null => {
  if (offset + 8 > view.byteLength) return null;
  const header = view.getUint32(offset);
  if (header >>> 20 === 0xfff && ((header >>> 17) & 3) === 0) return readAdtsHeader(header, view.getUint32(offset + 4));
  return header >>> 21 === 0x7ff ? readMpegHeader(header) : null;
};

const CHAIN_LENGTH = 3;

/** Whether frames follow one another from `offset`: three of one stream, or two that end with the octets. */
const isChain = (view: DataView, offset: number, first: FrameHeader): boolean => {
  let at = offset;
  for (let count = 0; count < CHAIN_LENGTH; count++) {
    if (at === view.byteLength) return count > 1;
    const frame = readFrameHeader(view, at);
    if (frame?.kind !== first.kind || frame.stream !== first.stream) return false;
    at += frame.bytes;
  }
  return true;
};

/** What kind of frames begins somewhere in `octets`, rubbish before them allowed; null if none does. */
export const findFrames = (octets: Uint8Array): FrameKind | null => {
  const view = new DataView(octets.buffer, octets.byteOffset, octets.byteLength);
  for (let offset = octets.indexOf(0xff); offset !== -1; offset = octets.indexOf(0xff, offset + 1)) {
    const first = readFrameHeader(view, offset);
    if (first && isChain(view, offset, first)) return first.kind;
  }
  return null;
};
