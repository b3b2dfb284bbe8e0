import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { checkDataDirectory, checkFfmpeg, checkNode } from './check-machine.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ringcast-check-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(directory, { recursive: true });
});

test('Node from 24 on will do', () => {
  expect(checkNode('24.0.0').state).toBe('ok');
  expect(checkNode('26.10.0').state).toBe('ok');
  expect(checkNode('22.19.0')).toMatchObject({ state: 'problem', fix: 'install Node 24 or newer' });
});

test('a data directory that can be written is ok and left as it was', async () => {
  expect(await checkDataDirectory(directory)).toMatchObject({ state: 'ok', detail: directory });
  expect(await readdir(directory)).toEqual([]);
});

test('one that is yet to be made is ok if its parent can be written', async () => {
  const path = join(directory, 'a', 'b');
  expect(await checkDataDirectory(path)).toMatchObject({ state: 'ok', detail: `${path} (will be made)` });
  expect(await readdir(directory)).toEqual([]);
});

test('one below a file is a problem with a fix', async () => {
  expect(await checkDataDirectory(join(process.execPath, 'data'))).toMatchObject({
    state: 'problem',
    fix: expect.stringContaining('--data-dir'),
  });
});

test('without ffmpeg on the PATH the WebAssembly build is named', async () => {
  await chmod(directory, 0o700);
  vi.stubEnv('PATH', directory);
  expect(await checkFfmpeg()).toMatchObject({ state: 'ok', detail: expect.stringContaining('WebAssembly') });
});
