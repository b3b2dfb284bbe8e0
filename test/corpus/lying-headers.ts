import { type BadFile, be32, bytes, patched, u32 } from './bad-file.ts';
import type { GoodFiles } from './good-files.ts';

/** Offset of the content behind a four-letter name. */
const behind = (octets: Buffer, name: string): number => octets.indexOf(name, 0, 'latin1') + name.length;

const float64 = (value: number): Buffer => {
  const octets = Buffer.alloc(8);
  octets.writeDoubleBE(value);
  return octets;
};

const lyingAiff = (aiff: Buffer): readonly BadFile[] => {
  const comm = behind(aiff, 'COMM') + 4;
  return [
    {
      name: 'aiff, 1 Hz',
      octets: patched(aiff, comm + 8, [0x3f, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0]),
      status: 415,
      gist: /samples a second/,
    },
    { name: 'aiff, 0 Hz', octets: patched(aiff, comm + 8, new Uint8Array(10)), status: 415, gist: /samples a second/ },
    {
      name: 'aiff, infinitely many Hz',
      octets: patched(aiff, comm + 8, [0x7f, 0xff, 0x80, 0]),
      status: 415,
      gist: /samples a second/,
    },
    { name: 'aiff, no channels', octets: patched(aiff, comm, [0, 0]), status: 415, gist: /channels/ },
    { name: 'aiff, 255 channels', octets: patched(aiff, comm, [0, 255]), status: 415, gist: /channels/ },
    { name: 'aiff, 0 bits', octets: patched(aiff, comm + 6, [0, 0]), status: 415, gist: /0 bits/ },
    { name: 'aiff, COMM of 4 GiB', octets: patched(aiff, comm - 4, be32(0xffff_ffff)), status: 415 },
    {
      name: 'aiff, SSND an octet too many',
      octets: patched(aiff, behind(aiff, 'SSND'), be32(16_009)),
      status: 415,
      gist: /promises/,
    },
  ];
};

const lyingAu = (au: Buffer): readonly BadFile[] => [
  { name: 'au, 1 Hz', octets: patched(au, 16, be32(1)), status: 415, gist: /samples a second/ },
  { name: 'au, no channels', octets: patched(au, 20, be32(0)), status: 415, gist: /channels/ },
  { name: 'au, 255 channels', octets: patched(au, 20, be32(255)), status: 415, gist: /channels/ },
  { name: 'au of no known coding', octets: patched(au, 12, be32(99)), status: 415 },
  { name: 'au, header of 4 GiB', octets: patched(au, 4, be32(0xffff_ffff)), status: 415 },
  { name: 'au, header of no length', octets: patched(au, 4, be32(0)), status: 415, gist: /header of 0/ },
];

const lyingFlac = (flac: Buffer): readonly BadFile[] => [
  {
    name: 'flac, 0 Hz',
    octets: patched(flac, 18, [0, 0, flac.readUInt8(20) & 0x0f]),
    status: 415,
    gist: /samples a second/,
  },
  { name: 'flac, 1 Hz', octets: patched(flac, 18, [0, 0, 0x10]), status: 415, gist: /samples a second/ },
  { name: 'flac, 2^36 samples', octets: patched(flac, 21, [0xff, 0xff, 0xff, 0xff, 0xff]), status: 415 },
  { name: 'flac, metadata of 16 MiB', octets: patched(flac, 5, [0xff, 0xff, 0xff]), status: 415 },
  { name: 'flac without metadata', octets: bytes('fLaC', flac.subarray(42)), status: 415 },
];

const lyingOgg = ({ opus, vorbis }: GoodFiles): readonly BadFile[] => [
  { name: 'opus, no channels', octets: patched(opus, behind(opus, 'OpusHead') + 1, [0]), status: 415 },
  { name: 'opus, 255 channels', octets: patched(opus, behind(opus, 'OpusHead') + 1, [255]), status: 415 },
  { name: 'opus, version 255', octets: patched(opus, behind(opus, 'OpusHead'), [255]), status: 415 },
  { name: 'vorbis, 0 Hz', octets: patched(vorbis, behind(vorbis, '\x01vorbis') + 5, u32(0)), status: 415 },
  { name: 'vorbis, 1 Hz', octets: patched(vorbis, behind(vorbis, '\x01vorbis') + 5, u32(1)), status: 415 },
  { name: 'vorbis, 255 channels', octets: patched(vorbis, behind(vorbis, '\x01vorbis') + 4, [255]), status: 415 },
  { name: 'vorbis, no channels', octets: patched(vorbis, behind(vorbis, '\x01vorbis') + 4, [0]), status: 415 },
  { name: 'ogg, first page at 2^62', octets: patched(opus, 6, new Uint8Array(8).fill(0x3f)), status: 415 },
];

const lyingMp4 = ({ m4a, alac }: GoodFiles): readonly BadFile[] => [
  { name: 'm4a, 2^32 samples', octets: patched(m4a, behind(m4a, 'stsz') + 8, be32(0xffff_ffff)), status: 415 },
  { name: 'm4a, samples of 2 GiB', octets: patched(m4a, behind(m4a, 'stsz') + 4, be32(0x7fff_ffff)), status: 415 },
  {
    name: 'm4a, samples beyond the end',
    octets: patched(m4a, behind(m4a, 'stco') + 8, be32(0x7fff_ffff)),
    status: 415,
  },
  {
    name: 'm4a, moov of 2 GiB',
    octets: patched(m4a, behind(m4a, 'moov') - 8, be32(0x7fff_ffff)),
    status: 415,
    gist: /cut short/,
  },
  { name: 'm4a, moov of no length', octets: patched(m4a, behind(m4a, 'moov') - 8, be32(1)), status: 415 },
  { name: 'alac, 255 channels', octets: patched(alac, alac.lastIndexOf('alac') + 4 + 4 + 9, [255]), status: 415 },
];

const lyingWebm = ({ webm }: GoodFiles): readonly BadFile[] => {
  const rate = webm.indexOf('b588', 0, 'hex') + 2;
  return [
    {
      name: 'webm, head of 2^56 octets',
      octets: patched(webm, 4, [0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe]),
      status: 415,
    },
    // The rate of Opus is no matter of its container's.
    { name: 'webm, 1 Hz', octets: patched(webm, rate, float64(1)), status: 201 },
    { name: 'webm, not a number of Hz', octets: patched(webm, rate, float64(Number.NaN)), status: 201 },
    {
      name: 'webm, a track of no codec',
      octets: patched(webm, webm.indexOf('A_OPUS'), [65, 95, 78, 79, 78, 69]),
      status: 415,
    },
  ];
};

/** Files of other formats whose headers are not true. */
export const lyingFiles = (good: GoodFiles): readonly BadFile[] => [
  ...lyingAiff(good.aiff),
  ...lyingAu(good.au),
  ...lyingFlac(good.flac),
  ...lyingOgg(good),
  ...lyingMp4(good),
  ...lyingWebm(good),
];
