/** WAV files of the one kind that Ringcast writes: PCM, 16 bits, one channel, a header of 44 octets. */

const HEADER_BYTES = 44;
const FORMAT_PCM = 1;

const putAscii = (view: DataView, offset: number, text: string): void => {
  for (let i = 0; i < text.length; i++) view.setUint8(offset + i, text.charCodeAt(i));
};

const getAscii = (view: DataView, offset: number): string =>
  String.fromCharCode(...[0, 1, 2, 3].map((i) => view.getUint8(offset + i)));

/** The header that `dataBytes` octets of 16-bit mono samples follow. */
export const wavHeader = (dataBytes: number, sampleRateHz: number): Uint8Array => {
  const header = new Uint8Array(HEADER_BYTES);
  const view = new DataView(header.buffer);
  putAscii(view, 0, 'RIFF');
  view.setUint32(4, HEADER_BYTES + dataBytes - 8, true);
  putAscii(view, 8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, FORMAT_PCM, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRateHz, true);
  view.setUint32(28, sampleRateHz * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  putAscii(view, 36, 'data');
  view.setUint32(40, dataBytes, true);
  return header;
};

/** 16-bit samples as a WAV file holds them, little-endian whatever the machine is. */
export const wavData = (samples: Int16Array): Uint8Array => {
  const data = new Uint8Array(samples.length * 2);
  const view = new DataView(data.buffer);
  for (let i = 0; i < samples.length; i++) view.setInt16(i * 2, samples[i] as number, true);
  return data;
};

/** A whole WAV file of 16-bit mono samples. */
export const writeWav = (samples: Int16Array, sampleRateHz: number): Uint8Array => {
  const file = new Uint8Array(HEADER_BYTES + samples.length * 2);
  file.set(wavHeader(samples.length * 2, sampleRateHz));
  file.set(wavData(samples), HEADER_BYTES);
  return file;
};

/** Where the content of a RIFF chunk begins and how long it says it is. */
interface Chunk {
  readonly start: number;
  readonly bytes: number;
}

const findChunk = (view: DataView, id: string): Chunk => {
  let offset = 12;
  while (offset + 8 <= view.byteLength) {
    const chunk = { start: offset + 8, bytes: view.getUint32(offset + 4, true) };
    if (chunk.start + chunk.bytes > view.byteLength) break;
    if (getAscii(view, offset) === id) return chunk;
    offset = chunk.start + chunk.bytes + (chunk.bytes % 2);
  }
  throw new Error(`This WAV file has no whole "${id}" chunk: it was cut short or is not a WAV file.`);
};

const readSampleRate = (view: DataView): number => {
  const { start, bytes } = findChunk(view, 'fmt ');
  const isPcm16Mono =
    bytes >= 16 &&
    view.getUint16(start, true) === FORMAT_PCM &&
    view.getUint16(start + 2, true) === 1 &&
    view.getUint16(start + 14, true) === 16;
  if (!isPcm16Mono) throw new Error('This WAV file is not 16-bit PCM with one channel.');
  return view.getUint32(start + 4, true);
};

/** Reads a 16-bit mono PCM WAV file; throws an Error that says what is wrong with any other. */
export const readWav = (octets: Uint8Array): { samples: Int16Array; sampleRateHz: number } => {
  const view = new DataView(octets.buffer, octets.byteOffset, octets.byteLength);
  if (view.byteLength < 12 || getAscii(view, 0) !== 'RIFF' || getAscii(view, 8) !== 'WAVE') {
    throw new Error('This is not a WAV file: it does not begin with RIFF and WAVE.');
  }
  const sampleRateHz = readSampleRate(view);
  const { start, bytes } = findChunk(view, 'data');
  const samples = Int16Array.from({ length: bytes >> 1 }, (_, i) => view.getInt16(start + i * 2, true));
  return { samples, sampleRateHz };
};
