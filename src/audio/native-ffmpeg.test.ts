import { chmod, mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createIngest } from './ingest.ts';
import { findFfmpeg, tryNativeFfmpeg } from './native-ffmpeg.ts';

let directory: string;
beforeEach(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), 'ringcast-native-')));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(directory, { recursive: true });
});

const place = async (folder: string, script: string, mode = 0o755): Promise<string> => {
  const path = join(directory, folder, 'ffmpeg');
  await mkdir(join(directory, folder));
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, mode);
  return path;
};

const logTo = (lines: unknown[]) => {
  const note = (fields: object, message: string): void => void lines.push({ ...fields, message });
  return { debug: () => {}, info: note, warn: note, error: note };
};

it('finds the first executable of the search path', async () => {
  await place('text', 'no', 0o644);
  const first = await place('first', 'exit 0');
  await place('second', 'exit 0');
  const folders = ['', 'nowhere', 'text', 'first', 'second'].map((name) => name && join(directory, name));
  expect(await findFfmpeg(folders.join(delimiter))).toBe(first);
  expect(await findFfmpeg(join(directory, 'nowhere'))).toBeNull();
  expect(await findFfmpeg('')).toBeNull();
});

it('refuses what is no FFmpeg, and an FFmpeg that does not decode', async () => {
  const other = await place('other', 'echo something else');
  const broken = await place('broken', 'echo ffmpeg version 9.9 Copyright');
  const scratch = join(directory, 'scratch');
  await mkdir(scratch);
  expect(await tryNativeFfmpeg(other, scratch)).toBeNull();
  expect(await tryNativeFfmpeg(broken, scratch)).toBeNull();
  expect(await readdir(scratch)).toEqual([]);
});

it('falls back to WebAssembly with a warning when the ffmpeg on PATH does not work', async () => {
  const path = await place('broken', 'exit 1');
  vi.stubEnv('PATH', join(directory, 'broken'));
  const lines: unknown[] = [];
  const ingest = await createIngest({ scratchDirectory: directory, log: logTo(lines) });
  expect(ingest.describeDecoder()).toMatch(/^FFmpeg in WebAssembly \(@ffmpeg\/core 0\.12\.\d+\)$/);
  expect(lines).toEqual([
    { path, message: 'the ffmpeg found on PATH cannot decode audio here; using the WebAssembly build' },
    expect.objectContaining({ decoder: ingest.describeDecoder(), message: 'audio decoder chosen' }),
  ]);
});

it('takes the WebAssembly build where there is no ffmpeg', async () => {
  vi.stubEnv('PATH', directory);
  const ingest = await createIngest({ scratchDirectory: directory, log: logTo([]) });
  expect(ingest.describeDecoder()).toContain('WebAssembly');
});

it('does not start with a named program that does not work', async () => {
  const ffmpegPath = await place('broken', 'exit 1');
  const starting = createIngest({ scratchDirectory: directory, ffmpegPath, log: logTo([]) });
  await expect(starting).rejects.toThrow(`${ffmpegPath} is not an FFmpeg that can decode audio here.`);
});
