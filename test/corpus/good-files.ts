import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A second of speech-like noise in every format, before it is spoilt. */
const OPTIONS = {
  wav: '-c:a pcm_s16le -ar 8000',
  rf64: '-c:a pcm_s16le -ar 8000 -rf64 always -f wav',
  ima: '-c:a adpcm_ima_wav -ar 8000 -block_size 256 -f wav',
  aiff: '-c:a pcm_s16be -ar 8000',
  au: '-c:a pcm_mulaw -ar 8000',
  flac: '-c:a flac -ar 16000',
  mp3: '-c:a libmp3lame -b:a 32k -ar 16000 -id3v2_version 0',
  aac: '-c:a aac -ar 16000 -f adts',
  opus: '-c:a libopus -b:a 24k',
  vorbis: '-c:a libvorbis -ar 16000 -f ogg',
  m4a: '-c:a aac -ar 16000',
  alac: '-c:a alac -ar 16000 -f ipod -movflags faststart',
  webm: '-c:a libopus -b:a 24k',
  gsm: '-c:a libgsm -ar 8000 -ac 1',
} as const;

export type GoodFormat = keyof typeof OPTIONS;
export type GoodFiles = Readonly<Record<GoodFormat, Buffer>>;

export const GOOD_FORMATS = Object.keys(OPTIONS) as readonly GoodFormat[];

const run = promisify(execFile);
const SOURCE = ['-f', 'lavfi', '-i', 'anoisesrc=d=1:c=pink:a=0.3:r=48000:seed=5'];

const make = async (folder: string, format: GoodFormat): Promise<readonly [GoodFormat, Buffer]> => {
  const path = join(folder, `good.${format}`);
  await run('ffmpeg', ['-loglevel', 'error', ...SOURCE, '-bitexact', ...OPTIONS[format].split(' '), path]);
  return [format, await readFile(path)];
};

/** Makes one good file of each format with the machine's FFmpeg. */
export const makeGoodFiles = async (folder: string): Promise<GoodFiles> => {
  const made = await Promise.all(GOOD_FORMATS.map((format) => make(folder, format)));
  return Object.fromEntries(made) as GoodFiles;
};

/** Silence, packed small: two hours of FLAC are some ten thousand octets. */
export const makeSilence = async (
  folder: string,
  seconds: number,
  name: string,
  rateHz: number,
  ...options: string[]
): Promise<Buffer> => {
  const path = join(folder, name);
  const source = ['-f', 'lavfi', '-t', String(seconds), '-i', `anullsrc=r=${rateHz}:cl=mono`];
  await run('ffmpeg', ['-loglevel', 'error', ...source, ...options, path]);
  return readFile(path);
};
