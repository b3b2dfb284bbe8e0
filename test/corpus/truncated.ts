import type { BadFile } from './bad-file.ts';
import { GOOD_FORMATS, type GoodFiles, type GoodFormat } from './good-files.ts';

const PERCENTS = [5, 50, 90];

/** Frames one after another, without a word of how many there should be: what is there is the file. */
const ENDLESS: readonly GoodFormat[] = ['aac', 'gsm'];
/** Of these, so little that no frames can be told. */
const TOO_LITTLE_PERCENT = 5;

const cut = (format: GoodFormat, octets: Buffer, percent: number): BadFile => {
  const isWhole = ENDLESS.includes(format) && percent > TOO_LITTLE_PERCENT;
  return {
    name: `${format}, cut at ${percent} %`,
    octets: new Uint8Array(octets.subarray(0, Math.floor((octets.length * percent) / 100))),
    ...(isWhole ? { status: 201 } : { status: 415 }),
  };
};

/** Every format cut off at several points. */
export const truncatedFiles = (good: GoodFiles): readonly BadFile[] =>
  GOOD_FORMATS.flatMap((format) => PERCENTS.map((percent) => cut(format, good[format], percent)));

/** Magic numbers with nothing behind them. */
export const headsOnly = (): readonly BadFile[] =>
  [
    'RIFF',
    'RIFF\0\0\0\0WAVE',
    'RIFF\xff\xff\xff\xffWAVEfmt ',
    'fLaC',
    'OggS',
    '\0\0\0\x18ftypM4A ',
    '\x1a\x45\xdf\xa3',
    'FORM',
    'FORM\0\0\0\0AIFF',
    '.snd',
    '#!AMR\n',
    'ID3\x04\0\0\0\0\0\0',
  ].map((head) => ({
    name: `only ${JSON.stringify(head)}`,
    octets: new Uint8Array(Buffer.from(head, 'latin1')),
    status: 415,
    gist: /^The file (is not audio|is damaged|is cut short|says|holds no sound)/,
  }));
