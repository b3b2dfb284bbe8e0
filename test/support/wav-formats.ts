/** WAV files of every width, for what reads them. */
import { encodeAlaw, encodeUlaw } from '../../src/rtp/g711.ts';

export const WAV_FORMATS = ['pcm8', 'pcm16', 'pcm24', 'pcm32', 'float32', 'float64', 'alaw', 'ulaw'] as const;
export type WavFormat = (typeof WAV_FORMATS)[number];

interface Coding {
  readonly tag: number;
  readonly bytes: number;
  readonly put: (file: Buffer, sample: number, offset: number) => void;
}

const CODINGS: Readonly<Record<WavFormat, Coding>> = {
  pcm8: { tag: 1, bytes: 1, put: (file, sample, at) => file.writeUInt8((sample >> 8) + 128, at) },
  pcm16: { tag: 1, bytes: 2, put: (file, sample, at) => file.writeInt16LE(sample, at) },
  pcm24: { tag: 1, bytes: 3, put: (file, sample, at) => file.writeIntLE(sample * 256, at, 3) },
  pcm32: { tag: 1, bytes: 4, put: (file, sample, at) => file.writeInt32LE(sample * 65_536, at) },
  float32: { tag: 3, bytes: 4, put: (file, sample, at) => file.writeFloatLE(sample / 32_768, at) },
  float64: { tag: 3, bytes: 8, put: (file, sample, at) => file.writeDoubleLE(sample / 32_768, at) },
  alaw: { tag: 6, bytes: 1, put: (file, sample, at) => file.set(encodeAlaw(Int16Array.of(sample)), at) },
  ulaw: { tag: 7, bytes: 1, put: (file, sample, at) => file.set(encodeUlaw(Int16Array.of(sample)), at) },
};

const header = (coding: Coding, rateHz: number, channels: number, dataBytes: number): Buffer => {
  const head = Buffer.alloc(44);
  head.write('RIFF');
  head.writeUInt32LE(36 + dataBytes, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(coding.tag, 20);
  head.writeUInt16LE(channels, 22);
  head.writeUInt32LE(rateHz, 24);
  head.writeUInt32LE(rateHz * channels * coding.bytes, 28);
  head.writeUInt16LE(channels * coding.bytes, 32);
  head.writeUInt16LE(coding.bytes * 8, 34);
  head.write('data', 36);
  head.writeUInt32LE(dataBytes, 40);
  return head;
};

/** A WAV file that holds the same samples on every channel. */
export const wavOf = (
  samples: Int16Array,
  options: { format: WavFormat; rateHz: number; channels: number },
): Buffer => {
  const { format, rateHz, channels } = options;
  const coding = CODINGS[format];
  const data = Buffer.alloc(samples.length * channels * coding.bytes);
  samples.forEach((sample, i) => {
    for (let c = 0; c < channels; c++) coding.put(data, sample, (i * channels + c) * coding.bytes);
  });
  return Buffer.concat([header(coding, rateHz, channels, data.length), data]);
};
