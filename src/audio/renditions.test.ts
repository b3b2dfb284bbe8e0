import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tone } from '../../test/support/tones.ts';
import { DEFAULT_PROCESSING, NO_PROCESSING, type Processing } from '../domain/media.ts';
import { decodeUlaw } from '../rtp/g711.ts';
import type { Decoded } from './decoder.ts';
import { measureLoudness } from './loudness.ts';
import { render } from './renditions.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ringcast-renditions-'));
});
afterAll(() => rm(directory, { recursive: true }));

/** FFmpeg played by one that encodes to silence. */
const runNothing = async ({ outputs }: { outputs: readonly { maxBytes: number; write(part: Buffer): unknown }[] }) => {
  for (const { maxBytes, write } of outputs) await write(Buffer.alloc(maxBytes));
  return { end: 'exited', exitCode: 0, signal: null, complaint: '' } as const;
};

const rendered = async (samples: Int16Array, processing: Processing) => {
  const widePath = join(directory, 'wide');
  await writeFile(widePath, '');
  const narrow = Float32Array.from(samples, (sample) => sample / 32_768);
  const decoded: Decoded = { narrow, widePath, widePeak: 0 };
  return render(runNothing, decoded, processing, { path: directory, empty: directory });
};

it('tells how loud the file was and the clip is', async () => {
  const quiet = tone({ hz: 1000, rateHz: 8000, seconds: 2, levelDb: -40 });
  const { loudness, renditions } = await rendered(quiet, DEFAULT_PROCESSING);
  const heard = Float32Array.from(decodeUlaw(renditions.PCMU), (sample) => sample / 32_768);
  expect(loudness?.sourceLufs).toBeCloseTo(-43, 0);
  expect(loudness?.lufs).toBeCloseTo(-20, 6);
  expect(await measureLoudness(heard, 8000)).toBeCloseTo(loudness?.lufs ?? 0, 1);
  // A sine's peak is 3 dB above its power.
  expect(loudness?.truePeakDbfs).toBeCloseTo(-17, 0);
});

it('tells the same twice of what is left as it is, and nothing of silence', async () => {
  const plain = tone({ hz: 1000, rateHz: 8000, seconds: 1, levelDb: -12 });
  const { loudness } = await rendered(plain, NO_PROCESSING);
  expect(loudness?.lufs).toBe(loudness?.sourceLufs);
  expect(loudness?.truePeakDbfs).toBeCloseTo(-12, 0);
  for (const processing of [DEFAULT_PROCESSING, NO_PROCESSING])
    expect(await rendered(new Int16Array(8000), processing)).toMatchObject({ loudness: null, frameCount: 50 });
});
