import { type BadFile, bytes, patched, times, u16, u32 } from './bad-file.ts';
import type { GoodFiles } from './good-files.ts';

/** Where a WAV file of the plain kind has its fields. */
const AT = { riffSize: 4, fmtSize: 16, tag: 20, channels: 22, rate: 24, byteRate: 28, align: 32, bits: 34 } as const;

type Lie = readonly [field: keyof typeof AT, value: number, status: BadFile['status'], gist?: RegExp];

const LIES: readonly Lie[] = [
  ...[0, 1, 10, 999, 384_001, 0xffff_ffff].map((rate): Lie => ['rate', rate, 415, /samples a second/]),
  ...[0, 65, 255, 65_535].map((channels): Lie => ['channels', channels, 415, /channels/]),
  ...[0, 1, 24, 255, 65_535].map((bits): Lie => ['bits', bits, 415, /bits/]),
  ...[0, 1, 4, 65_535].map((align): Lie => ['align', align, 415, /blocks of/]),
  ...[0, 0x5555, 0xffff, 0xfffe].map((tag): Lie => ['tag', tag, 415]),
  ['fmtSize', 0, 415],
  ['fmtSize', 0xffff_ffff, 415],
  ['fmtSize', 2, 415],
  // What no reader needs: recorders that are switched off leave it 0, programs that write to a pipe all ones.
  ['riffSize', 0, 201],
  ['riffSize', 0xffff_ffff, 201],
  ['byteRate', 0, 201],
  ['byteRate', 0xffff_ffff, 201],
];

const SHORT_FIELDS: readonly (keyof typeof AT)[] = ['tag', 'channels', 'align', 'bits'];

const sizeOfData = (wav: Buffer, size: number): Uint8Array<ArrayBuffer> =>
  patched(wav, wav.indexOf('data') + 4, u32(size));

const header = (...chunks: readonly Uint8Array[]) => bytes('RIFF', u32(0xffff_fff0), 'WAVE', ...chunks);

/** WAV files whose headers are not true. */
export const lyingWavFiles = ({ wav, rf64 }: GoodFiles): readonly BadFile[] => {
  const fmt = wav.subarray(12, 36);
  const data = wav.subarray(wav.indexOf('data'));
  const empty = bytes('junk', u32(0));
  const many = (count: number) => times(count, () => empty);
  return [
    ...LIES.map(
      ([field, value, status, gist]): BadFile => ({
        name: `wav, ${field} ${value}`,
        octets: patched(wav, AT[field], SHORT_FIELDS.includes(field) ? u16(value) : u32(value)),
        status,
        ...(gist ? { gist } : {}),
      }),
    ),
    { name: 'wav, data size 0: not known', octets: sizeOfData(wav, 0), status: 201 },
    { name: 'wav, data size 2 GiB less one', octets: sizeOfData(wav, 0x7ffe_ffff), status: 415, gist: /promises/ },
    {
      name: 'wav, data size an octet too many',
      octets: sizeOfData(wav, data.length - 7),
      status: 415,
      gist: /promises/,
    },
    { name: 'wav, data size 4 GiB: not known', octets: sizeOfData(wav, 0xffff_ffff), status: 201 },
    { name: 'wav without fmt', octets: header(data), status: 415, gist: /before their format/ },
    { name: 'wav, data before fmt', octets: header(data, fmt), status: 415, gist: /before their format/ },
    { name: 'wav, fmt twice', octets: header(fmt, fmt, data), status: 201 },
    { name: 'wav, 500 chunks of no length', octets: header(fmt, many(500), data), status: 201 },
    { name: 'wav, 100,000 chunks of no length', octets: header(fmt, many(100_000), data), status: 415 },
    { name: 'wav, only chunks of no length', octets: header(many(50_000)), status: 415 },
    { name: 'wav in wav', octets: header(bytes('RIFF', u32(wav.length)), wav), status: 415 },
    {
      name: 'rf64, ds64 of 2^63',
      octets: patched(rf64, 28, [...u32(0), ...u32(0x7fff_ffff)]),
      status: 415,
      gist: /promises/,
    },
    {
      name: 'rf64, ds64 of all ones',
      octets: patched(rf64, 28, [...u32(0xffff_ffff), ...u32(0xffff_ffff)]),
      status: 415,
    },
    { name: 'rf64, ds64 an octet too many', octets: patched(rf64, 28, u32(16_001)), status: 415 },
  ];
};
