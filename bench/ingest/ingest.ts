import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createIngest } from '../../src/audio/ingest.ts';
import { findFfmpeg } from '../../src/audio/native-ffmpeg.ts';
import { DEFAULT_PROCESSING } from '../../src/domain/media.ts';
import type { Ingest } from '../../src/domain/ports.ts';
import type { Bench, BenchRow } from '../bench.ts';
import { bareRenditions } from './bare-ffmpeg.ts';

const CLIP_SECONDS = 60;
const ROUNDS = 5;
const AIM_OF_BARE = 1.3;
const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const SPEECH = join(import.meta.dirname, '..', '..', 'assets', 'sample-2.wav');

const FILES = [
  ['WAV', 'clip.wav', ['-ar', '44100', '-ac', '2', '-c:a', 'pcm_s16le']],
  ['MP3', 'clip.mp3', ['-ar', '44100', '-ac', '2', '-c:a', 'libmp3lame', '-b:a', '128k']],
  ['Opus', 'clip.ogg', ['-ar', '48000', '-c:a', 'libopus', '-b:a', '32k']],
] as const;

interface Contender {
  readonly name: string;
  readonly run: (path: string) => Promise<void> | void;
}

const timed = async (work: () => Promise<void> | void): Promise<number> => {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
};

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** Contenders take turns, so that what else the machine does strikes all alike. */
const measure = async (contenders: readonly Contender[], path: string): Promise<readonly number[]> => {
  const times = contenders.map((): number[] => []);
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [index, { run }] of contenders.entries()) {
      const ms = await timed(() => run(path));
      if (round > 0) times[index]?.push(ms); // the first round warms up
    }
  }
  return times.map(median);
};

const rowsOf = (format: string, contenders: readonly Contender[], times: readonly number[]): BenchRow[] => {
  const bareMs = times[0] ?? 0;
  return contenders.map(({ name }, index) => {
    const ms = times[index] ?? 0;
    return {
      format,
      by: name,
      ms: Math.round(ms),
      's of audio a second': Math.round((CLIP_SECONDS * 1000) / ms),
      'of bare': Number((ms / bareMs).toFixed(2)),
    };
  });
};

/** Renditions that are not whole would make every figure worthless. */
const ingestBy = (name: string, ingest: Ingest): Contender => ({
  name,
  async run(path) {
    const { frameCount } = await ingest(path, { maxSeconds: 600 }, DEFAULT_PROCESSING);
    if (Math.abs(frameCount - CLIP_SECONDS * 50) > 30) throw new Error(`${path} became ${frameCount} frames`);
  },
});

const contendersIn = async (directory: string, ffmpeg: string): Promise<readonly Contender[]> => {
  const options = { scratchDirectory: directory, log: SILENT };
  return [
    { name: 'bare ffmpeg, measured and encoded', run: (path) => bareRenditions(ffmpeg, path, directory) },
    ingestBy('ringcast, native', await createIngest({ ...options, ffmpegPath: ffmpeg })),
    ingestBy('ringcast, WebAssembly', await createIngest({ ...options, ffmpegPath: null })),
  ];
};

const run: Bench['run'] = async () => {
  const ffmpeg = await findFfmpeg(process.env.PATH ?? '');
  if (ffmpeg === null) throw new Error('This bench compares with a bare ffmpeg: install the Debian package ffmpeg.');
  const directory = await mkdtemp(join(tmpdir(), 'ringcast-bench-'));
  try {
    const contenders = await contendersIn(directory, ffmpeg);
    const rows: BenchRow[] = [];
    for (const [format, name, options] of FILES) {
      const path = join(directory, name);
      const source = ['-v', 'error', '-stream_loop', '-1', '-i', SPEECH, '-t', String(CLIP_SECONDS)];
      execFileSync(ffmpeg, [...source, ...options, path]);
      rows.push(...rowsOf(format, contenders, await measure(contenders, path)));
    }
    return { rows, notes: NOTES };
  } finally {
    await rm(directory, { recursive: true });
  }
};

const NOTES = [
  `Speech of ${CLIP_SECONDS} s, the median of ${ROUNDS} rounds in turn, each with the start of its processes.`,
  'Bare is ffmpeg twice: once to measure the loudness, once to level and encode PCMU, PCMA, G.722 and Opus alike.',
  `Aim: at most ${AIM_OF_BARE} of bare; a minute of MP3 in under 1,000 ms natively, under 3,000 ms in WebAssembly.`,
];

export const ingestBench: Bench = {
  summary: 'seconds of audio a second at upload, native and WebAssembly, beside a bare ffmpeg with the same renditions',
  run,
};
