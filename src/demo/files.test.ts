import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { demoFiles } from './files.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ringcast-files-'));
  await writeFile(join(directory, 'mine.wav'), '');
  await writeFile(join(directory, 'yours.mp3'), '');
});
afterAll(() => rm(directory, { recursive: true }));

const names = async (files: readonly string[]): Promise<string[]> =>
  (await demoFiles(files, directory)).map((file) => file.name);

test('without a file, both clips are the samples that ship', async () => {
  expect(await names([])).toEqual(['sample-1.wav', 'sample-2.wav']);
});

test('one file is clip 1, and clip 2 a sample', async () => {
  expect(await names(['mine.wav'])).toEqual(['mine.wav', 'sample-2.wav']);
});

test('several files are the clips, in their order', async () => {
  expect(await names(['yours.mp3', 'mine.wav', 'yours.mp3'])).toEqual(['yours.mp3', 'mine.wav', 'yours.mp3']);
});

test('a relative path is looked for where npm was called', async () => {
  expect((await demoFiles(['mine.wav'], directory))[0]?.path).toBe(join(directory, 'mine.wav'));
});

test('a file that is not there is wrong usage, named before anything starts', async () => {
  await expect(demoFiles(['gone\x1b.wav'], directory)).rejects.toMatchObject({
    message: 'gone\\u001b.wav cannot be read: is the path right?',
    exitStatus: 2,
  });
});
