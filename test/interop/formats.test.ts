import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIngest, type RunningIngest } from '../../src/audio/ingest.ts';
import { measureLoudness } from '../../src/audio/loudness.ts';
import { truePeak } from '../../src/audio/true-peak.ts';
import { DEFAULT_PROCESSING } from '../../src/domain/media.ts';
import type { Ingest } from '../../src/domain/ports.ts';
import { decodeUlaw } from '../../src/rtp/g711.ts';
import { FORMATS, type FormatCase, findingOf, headOf, makeFile, makeSpeech, nameOf } from '../support/formats.ts';
import { describeWithPeer } from './peer-program.ts';

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const path = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));

/** The table as it is kept: figures for each case. */
const DOCUMENT = readFileSync(path('docs/formats.md'), 'utf8');
const ROW = /([+-]?\d+\.\d) LUFS \| ([+-]\d+) ms/g;

/** Every format once, at the first of its rates. */
const EACH_FORMAT = FORMATS.filter(
  ({ format }, index) => FORMATS.findIndex((other) => other.format === format) === index,
);
/** Containers whose decoders differ most; docs/formats.md has WebAssembly's figures for all. */
const FOR_WASM = ['MP3', 'M4A, AAC', 'WAV, GSM 06.10'];

/** Ten recordings as people send them: who speaks, how loud, and what it is kept in. */
const SOURCES = [
  ['greeting', '-35', '16000 pcm_s16le wav'],
  ['greeting', '0', '44100 libmp3lame mp3'],
  ['greeting', '-12', '8000 pcm_mulaw wav'],
  ['sample-1', '-25', '48000 libopus webm'],
  ['sample-1', '+3', '16000 aac m4a'],
  ['sample-1', '-6', '22050 libvorbis ogg'],
  ['sample-1', '-18', '8000 pcm_u8 wav'],
  ['sample-2', '-30', '48000 flac flac'],
  ['sample-2', '-3', '44100 alac m4a'],
  ['sample-2', '-15', '11025 adpcm_ima_wav wav'],
] as const;

describeWithPeer('sox', 'sox ffmpeg libsox-fmt-mp3', () => {
  let directory: string;
  let speech: string;
  let native: RunningIngest;
  let wasm: RunningIngest;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'ringcast-formats-'));
    speech = await makeSpeech(directory);
    native = await createIngest({ scratchDirectory: directory, log: SILENT });
    wasm = await createIngest({ scratchDirectory: directory, ffmpegPath: null, log: SILENT });
  });
  afterAll(async () => {
    await Promise.all([native.close(), wasm.close()]);
    await rm(directory, { recursive: true });
  });

  const expectHeard = async (ingest: Ingest, format: FormatCase): Promise<void> => {
    const { levelLufs, lengthErrorMs } = await findingOf(ingest, makeFile(directory, speech, format));
    expect(Math.abs(levelLufs + 20)).toBeLessThan(0.5);
    expect(Math.abs(lengthErrorMs)).toBeLessThan(20);
  };

  it.each(EACH_FORMAT.map((format) => [nameOf(format), format] as const))('native FFmpeg: %s', async (_, format) => {
    await expectHeard(native, format);
  });

  it.each(
    EACH_FORMAT.filter(({ format }) => FOR_WASM.includes(format)).map((format) => [nameOf(format), format] as const),
  )('WebAssembly: %s', async (_, format) => {
    await expectHeard(wasm, format);
  });

  describe('docs/formats.md', () => {
    it.each(FORMATS.map((format) => [nameOf(format), format] as const))('has a line for %s', (_, format) => {
      const line = DOCUMENT.split('\n').find((each) => each.startsWith(headOf(format))) ?? '';
      const figures = [...line.matchAll(ROW)].map(([, level, length]) => [Number(level), Number(length)] as const);
      expect(figures).toHaveLength(2);
      for (const [level, length] of figures) {
        expect(Math.abs(level + 20)).toBeLessThan(0.5);
        expect(Math.abs(length)).toBeLessThan(20);
      }
    });

    it('has no line of anything else', () => {
      expect(DOCUMENT.match(/^\| .+ LUFS/gm)).toHaveLength(FORMATS.length);
    });
  });

  it('brings ten recordings of all sorts to one level, none of them with a peak above -2 dBFS', async () => {
    const levels: number[] = [];
    for (const [name, gainDb, coding] of SOURCES) {
      const [rate = '', codec = '', ending = ''] = coding.split(' ');
      const file = join(directory, `source.${ending}`);
      const options = ['-af', `volume=${gainDb}dB`, '-ar', rate, '-c:a', codec];
      execFileSync('ffmpeg', ['-v', 'error', '-y', '-i', path(`assets/${name}.wav`), ...options, file]);
      const { renditions } = await native(file, { maxSeconds: 60 }, DEFAULT_PROCESSING);
      const heard = Float32Array.from(decodeUlaw(renditions.PCMU), (sample) => sample / 32_768);
      levels.push(await measureLoudness(heard, 8000));
      expect(20 * Math.log10(truePeak(heard)), `${name} as ${coding}`).toBeLessThan(-1.9);
    }
    expect(Math.max(...levels) - Math.min(...levels)).toBeLessThan(1);
    expect(Math.abs(levels.reduce((sum, level) => sum + level, 0) / levels.length + 20)).toBeLessThan(0.5);
  });

  it('measures as FFmpeg does', async () => {
    const { renditions } = await native(speech, { maxSeconds: 60 }, DEFAULT_PROCESSING);
    const args = ['-hide_banner', '-nostats', '-f', 'mulaw', '-ar', '8000', '-i', 'pipe:0'];
    const filter = ['-af', 'ebur128=metadata=1,ametadata=print:key=lavfi.r128.I:file=-', '-f', 'null', '-'];
    const said = execFileSync('ffmpeg', [...args, ...filter], {
      input: renditions.PCMU,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const theirs = Number(said.toString().trim().split('=').at(-1));
    const ours = await measureLoudness(
      Float32Array.from(decodeUlaw(renditions.PCMU), (sample) => sample / 32_768),
      8000,
    );
    expect(Math.abs(ours - theirs)).toBeLessThan(0.2);
  });
});
