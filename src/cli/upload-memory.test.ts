import { chmod, mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { uploadMemory } from './upload-memory.ts';

const GRANT = 'http://127.0.0.1:8080/api/rest/media/101/123';
const UPLOAD = `${GRANT}/abc`;

let directory: string;
let file: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ringcast-memory-'));
  file = join(directory, 'clip.wav');
  await writeFile(file, 'audio');
});
afterEach(() => rm(directory, { recursive: true }));

const cache = () => join(directory, 'cache');
const folder = () => join(cache(), 'ringcast', 'uploads');
const memoryOf = (grant = GRANT) => uploadMemory(grant, file, { XDG_CACHE_HOME: cache() });

it('remembers an upload from one command to the next, for nobody else to read', async () => {
  expect(await (await memoryOf()).recall()).toBeNull();
  await (await memoryOf()).keep(UPLOAD);
  expect(await (await memoryOf()).recall()).toBe(UPLOAD);
  const [name = ''] = await readdir(folder());
  expect([(await stat(join(folder(), name))).mode & 0o777, (await stat(folder())).mode & 0o777]).toEqual([
    0o600, 0o700,
  ]);
  expect(name).toMatch(/^[0-9a-f]{64}$/);
  await (await memoryOf()).forget();
  expect(await (await memoryOf()).recall()).toBeNull();
});

it('knows nothing of another grant, nor of the file once it has changed', async () => {
  await (await memoryOf()).keep(UPLOAD);
  expect(await (await memoryOf(`${GRANT}4`)).recall()).toBeNull();
  await utimes(file, 1, 1);
  expect(await (await memoryOf()).recall()).toBeNull();
});

it('remembers a hundred uploads', async () => {
  await mkdir(folder(), { recursive: true });
  for (let n = 0; n < 105; n += 1) {
    const path = join(folder(), `old-${n}`);
    await writeFile(path, UPLOAD);
    await utimes(path, n + 1, n + 1);
  }
  await (await memoryOf()).keep(UPLOAD);
  const names = await readdir(folder());
  expect(names).toHaveLength(100);
  expect(names).not.toContain('old-5');
  expect(names).toContain('old-6');
  expect(await (await memoryOf()).recall()).toBe(UPLOAD);
});

it('does without a cache that is no folder, or that holds something else', async () => {
  await (await memoryOf()).keep('no address');
  expect(await (await memoryOf()).recall()).toBeNull();
  await rm(cache(), { recursive: true });
  await writeFile(cache(), '');
  await chmod(cache(), 0o400);
  const memory = await memoryOf();
  await memory.keep(UPLOAD);
  expect(await memory.recall()).toBeNull();
  await memory.forget();
});
