/** Files of every format that Debian's ffmpeg and sox can write, and what ingest makes of them. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measureLoudness } from '../../src/audio/loudness.ts';
import { FRAME_MS } from '../../src/domain/codec.ts';
import type { Ingest } from '../../src/domain/ports.ts';
import { decodeUlaw } from '../../src/rtp/g711.ts';

const SPEECH = fileURLToPath(new URL('../../assets/sample-2.wav', import.meta.url));

/** 10 ms short of 200 frames, so that the last frame's filling is an error of 10 ms, and a frame more or less is seen. */
export const SECONDS = 3.99;

export interface FormatCase {
  readonly format: string;
  readonly rateHz: number;
  readonly width: string;
  readonly channels: number;
  readonly by: 'ffmpeg' | 'sox';
  /** Between the source and the name of the file. */
  readonly options: readonly string[];
  /** The file name's ending; sox goes by it. */
  readonly ending: string;
}

const ffmpeg = (format: string, width: string, ending: string, codec: string, rates: readonly number[], channels = 1) =>
  rates.map((rateHz): FormatCase => {
    const options = ['-ar', String(rateHz), '-ac', String(channels), '-c:a', ...codec.split(' ')];
    return { format, rateHz, width, channels, by: 'ffmpeg', options, ending };
  });

const sox = (format: string, width: string, ending: string, encoding: string, rates: readonly number[], channels = 1) =>
  rates.map((rateHz): FormatCase => {
    const options = ['-r', String(rateHz), '-c', String(channels), ...encoding.split(' ').filter(Boolean)];
    return { format, rateHz, width, channels, by: 'sox', options, ending };
  });

const COMMON = [8000, 16_000, 44_100, 48_000];

export const FORMATS: readonly FormatCase[] = [
  ...ffmpeg('WAV', '8 bits', 'wav', 'pcm_u8', COMMON),
  ...ffmpeg(
    'WAV',
    '16 bits',
    'wav',
    'pcm_s16le',
    [8000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 96_000, 192_000],
  ),
  ...ffmpeg('WAV', '16 bits', 'wav', 'pcm_s16le', [44_100], 2),
  ...sox('WAV', '24 bits', 'wav', '-b 24', [...COMMON, 96_000]),
  ...sox('WAV', '32 bits', 'wav', '-b 32', COMMON),
  ...ffmpeg('WAV', 'float, 32 bits', 'wav', 'pcm_f32le', COMMON),
  ...ffmpeg('WAV', 'float, 64 bits', 'wav', 'pcm_f64le', [8000, 48_000]),
  ...ffmpeg('WAV, extensible', '24 bits', 'wav', 'pcm_s24le', [48_000], 6),
  ...ffmpeg('WAV, extensible', '16 bits', 'wav', 'pcm_s16le', [48_000], 8),
  ...ffmpeg('WAV, A-law', '8 bits', 'wav', 'pcm_alaw', [8000, 16_000]),
  ...sox('WAV, µ-law', '8 bits', 'wav', '-e mu-law', [8000, 16_000]),
  ...sox('WAV, IMA ADPCM', '4 bits', 'wav', '-e ima-adpcm', [8000, 44_100]),
  // Its own default is a block of 1,024 octets, which it fills up with silence without telling.
  ...ffmpeg('WAV, IMA ADPCM', '4 bits', 'wav', 'adpcm_ima_wav -block_size 256', [44_100], 2),
  ...sox('WAV, GSM 06.10', '', 'wav', '-e gsm-full-rate', [8000]),
  ...ffmpeg('RF64', '16 bits', 'wav', 'pcm_s16le -rf64 always', [8000, 48_000]),
  ...ffmpeg('AIFF', '16 bits', 'aiff', 'pcm_s16be', COMMON),
  ...sox('AIFF', '24 bits', 'aiff', '-b 24', [48_000]),
  ...ffmpeg('AIFF-C, float', '32 bits', 'aiff', 'pcm_f32be', [48_000]),
  ...sox('AU, µ-law', '8 bits', 'au', '-e mu-law', [8000]),
  ...ffmpeg('MP3', '32 kbit/s', 'mp3', 'libmp3lame -b:a 32k', [16_000, 22_050]),
  ...ffmpeg('MP3', '128 kbit/s', 'mp3', 'libmp3lame -b:a 128k', [44_100, 48_000], 2),
  ...sox('MP3', 'variable', 'mp3', '-C -4.2', [44_100]),
  ...ffmpeg('Ogg Opus', '24 kbit/s', 'ogg', 'libopus -b:a 24k', [16_000, 48_000]),
  ...ffmpeg('Ogg Vorbis', 'variable', 'ogg', 'libvorbis', [16_000, 44_100], 2),
  ...sox('Ogg Vorbis', 'variable', 'ogg', '', [8000, 48_000]),
  ...ffmpeg('FLAC', '16 bits', 'flac', 'flac', COMMON),
  ...sox('FLAC', '24 bits', 'flac', '-b 24', [96_000], 2),
  ...ffmpeg('M4A, AAC', '64 kbit/s', 'm4a', 'aac -b:a 64k', [16_000, 44_100, 48_000]),
  ...ffmpeg('M4A, ALAC', '16 bits', 'm4a', 'alac', [16_000, 44_100], 2),
  ...ffmpeg('WebM Opus', '32 kbit/s', 'webm', 'libopus -b:a 32k', [48_000], 2),
  ...sox('AMR-NB', '', 'amr-nb', '', [8000]),
  ...sox('GSM 06.10, raw', '', 'gsm', '', [8000]),
];

export const nameOf = ({ format, width, rateHz, channels, by }: FormatCase): string =>
  `${format}${width && `, ${width}`}, ${rateHz} Hz, ${channels} channel${channels === 1 ? '' : 's'}, by ${by}`;

/** The speech that all files are made of, as `speech.wav` in `directory`: at -30 LUFS or so, 48 kHz. */
export const makeSpeech = async (directory: string): Promise<string> => {
  const path = join(directory, 'speech.wav');
  const part = ['-t', String(SECONDS), '-af', `volume=-10dB,apad=whole_dur=${SECONDS}`, '-ar', '48000', '-bitexact'];
  execFileSync('ffmpeg', ['-v', 'error', '-y', '-i', SPEECH, ...part, path]);
  return path;
};

/** Writes the file of a case into `directory`. */
export const makeFile = (directory: string, speech: string, { by, options, ending }: FormatCase): string => {
  const path = join(directory, `file.${ending}`);
  if (by === 'sox') execFileSync('sox', ['-V1', '-D', speech, ...options, path]);
  else execFileSync('ffmpeg', ['-v', 'error', '-y', '-i', speech, ...options, path]);
  return path;
};

export interface FormatFinding {
  readonly type: string;
  readonly levelLufs: number;
  readonly lengthErrorMs: number;
}

/** Level and length of what a phone hears of a file: levelled, not trimmed. */
export const findingOf = async (ingest: Ingest, path: string): Promise<FormatFinding> => {
  const processing = { level: true, trim: false, telephoneBand: false };
  const { type, frameCount, renditions } = await ingest(path, { maxSeconds: 60 }, processing);
  const samples = Float32Array.from(decodeUlaw(renditions.PCMU), (sample) => sample / 32_768);
  const levelLufs = await measureLoudness(samples, 8000);
  return { type, levelLufs, lengthErrorMs: frameCount * FRAME_MS - SECONDS * 1000 };
};

/** What a line of docs/formats.md says of a case before its figures. */
export const headOf = ({ format, width, rateHz, channels, by }: FormatCase): string =>
  `| ${format} | ${width} | ${rateHz} | ${channels} | ${by} |`;

/** A line of docs/formats.md. */
export const rowOf = (format: FormatCase, findings: readonly FormatFinding[]): string => {
  const figures = findings.map(
    ({ levelLufs, lengthErrorMs }) =>
      ` ${levelLufs.toFixed(1)} LUFS | ${lengthErrorMs < 0 ? '-' : '+'}${Math.abs(Math.round(lengthErrorMs))} ms |`,
  );
  return headOf(format) + figures.join('');
};
